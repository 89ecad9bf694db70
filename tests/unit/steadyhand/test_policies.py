from __future__ import annotations

from dataclasses import replace

import pytest

from planning.force_limit import Bounds
from planning.policy import Policy
from planning.senses import Senses
from planning.thinker import Thinker
from planning.thresholds import RULES, Threshold
from robot.errors import BadInputError, LimitError
from steadyhand import wiring
from steadyhand.opening import Request, who_decides
from steadyhand.policies import NAMES, OURS, make_policy
from steadyhand.settings_file import load_settings
from support.beliefs import STANDARD
from support.toy import toy_table

REQUEST = Request(
    settings=None, players=None, policies=(), edition=None, options=(), turns=None, seed=1, blockset=None, tower=None,
    record=None, resume=None, truth=None, strip=None, view=False, json=False,
)  # fmt: skip


def made(name: str) -> Policy:
    return make_policy(name, STANDARD, Senses(), Bounds(0.08, 0.5), 1, hardest_n=1.2, count=40)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_makes_a_player(name: str) -> None:
    assert isinstance(made(name), Thinker if name == OURS else Threshold)


def test_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInputError, match=rf"'bold' is not known: choose of {OURS}, {next(iter(RULES))}"):
        made("bold")


def test_robot_decides_by_its_belief_where_nothing_is_said() -> None:
    assert who_decides(REQUEST, ["Robot-1", "Robot-2"]) == {"Robot-1": OURS, "Robot-2": OURS}


def test_one_policy_is_for_all_and_several_are_one_each() -> None:
    both = ["Robot-1", "Robot-2"]
    assert set(who_decides(replace(REQUEST, policies=("kimura",)), both).values()) == {"kimura"}
    each = replace(REQUEST, policies=("ours", "fixed-0.2"))
    assert who_decides(each, both) == {"Robot-1": "ours", "Robot-2": "fixed-0.2"}


def test_persons_decide_for_themselves() -> None:
    assert who_decides(REQUEST, ["Guest", "Robot"]) == {"Robot": OURS}
    each = replace(REQUEST, policies=("ours", "kimura"))
    assert who_decides(each, ["Robot-1", "Guest", "Robot-2"]) == {"Robot-1": "ours", "Robot-2": "kimura"}


@pytest.mark.parametrize(
    ("policies", "why"), [(("bold",), "is not known"), (("ours", "kimura"), "names 2 for 1 robots")]
)
def test_policies_that_fit_nobody_are_refused(policies: tuple[str, ...], why: str) -> None:
    with pytest.raises(BadInputError, match=why):
        who_decides(replace(REQUEST, policies=policies), ["Robot"])


def test_simple_rule_at_the_table_pushes_no_harder_than_a_pull_may() -> None:
    player = wiring.policy_of(load_settings(None), toy_table().actors, 1, "random")
    assert isinstance(player, Threshold)
    assert player.hardest_n == load_settings(None).extract.limit_n


def test_nobody_probes_with_a_sensor_whose_noise_hides_the_highest_limit() -> None:
    actors = toy_table().actors
    actors.hand.pusher._sensor.noise_n = 0.3  # as measured when it was connected
    with pytest.raises(
        LimitError,
        match=r"force limit 0\.800 N refused, allowed 0\.804 N \(four standard deviations of the filtered reading; one "
        r"sample's is 0\.300 N\)",
    ):
        wiring.policy_of(load_settings(None), actors, 1)


@pytest.mark.parametrize(("noise_n", "feels"), [(0.19, True), (0.21, False), (0.29, False)])
def test_noise_that_hides_every_loose_block_is_refused_before_the_game(noise_n: float, feels: bool) -> None:
    actors = toy_table().actors
    actors.hand.pusher._sensor.noise_n = noise_n
    if feels:
        wiring.policy_of(load_settings(None), actors, 1)
        return
    with pytest.raises(
        LimitError, match=r"is told to be loose by (0\.8|1\.1)\d+ N or more, and probe\.limit_n is 0\.800 N"
    ):
        wiring.policy_of(load_settings(None), actors, 1)
