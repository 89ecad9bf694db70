"""Check that every relative link and picture in the project's Markdown files leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The anchors that a Markdown file's headings make, as code hosts form them."""
    headings = (re.sub(r"[`*_]", "", heading).lower() for heading in _HEADING.findall(text))
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading)) for heading in headings}


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    text = page.read_text(encoding="utf-8")
    bad = []
    for link in _LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        target, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        path = page if not target else page.parent / target
        missing_anchor = (
            anchor and path.suffix == ".md" and path.exists() and anchor not in anchors(path.read_text())
        )
        if not path.exists() or missing_anchor:
            bad.append(f"{page}: {link} leads nowhere")
    return bad


def main() -> int:
    """Check every Markdown file that git knows of."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        capture_output=True,
        text=True,
        check=True,
    )
    pages = [Path(line) for line in listed.stdout.splitlines()]
    bad = [line for page in pages for line in broken(page)]
    print("\n".join(bad) if bad else f"links: {len(pages)} pages, every link leads somewhere")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
