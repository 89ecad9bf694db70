"""What a watch says of a row of painted pictures."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from perception.views import View
from perception.watching import GAP_S, GREY_S, LEFT_S, Sighting, Watch
from robot.errors import PerceptionError
from robot.frames import Array
from robot.ports import Frame
from robot.seeding import generator
from support.painted import TOWER, arm, camera, shadow, table

BESIDE = (215, 110)  # px, of a thing that lies by itself


class Table:
    """A table that is looked at every half second."""

    def __init__(self, *, hand: bool = False, live: bool = True) -> None:
        self.asked = 0
        self.hand = hand
        self.watch = Watch({"left": camera()}, TOWER, 0.3, self._hand_in, live=live)
        self.t_s = 0.0
        self._rng = generator(1, "watched noise")

    def _hand_in(self, _views: Sequence[View]) -> bool:
        self.asked += 1
        return self.hand

    def frame(self, image: Array, noise: float = 1.0) -> Frame:
        noisy = image + self._rng.normal(0, noise, image.shape)
        return Frame(np.clip(noisy, 0, 255).round().astype(np.uint8), self.t_s, "left")

    def look(self, image: Array, after_s: float = 0.5, noise: float = 1.0) -> Sighting:
        self.t_s += after_s
        return self.watch.look([self.frame(image, noise)])

    def learnt(self) -> Table:
        for _ in range(3):
            last = self.look(table())
        assert last.why is None
        return self


def thing(image: Array) -> Array:
    """A red mug stands by itself."""
    out = image.copy()
    cv2.circle(out, BESIDE, 20, (40, 40, 190), -1)
    return out


def test_the_table_is_watched_for_a_second_and_asked_about_before_it_is_called_empty() -> None:
    it = Table()
    first, second, third = (it.look(table()) for _ in range(3))
    assert first.why == "the table has not been watched for long enough (0.0 of 1 s)"
    assert second.why is not None
    assert third.why is None
    assert it.asked == 1
    assert it.look(table()).why is None
    assert it.asked == 1, "from now on there is something to compare with"


def test_a_hand_that_was_there_from_the_beginning_is_told_by_the_single_picture() -> None:
    it = Table(hand=True)
    said = [it.look(arm(table())) for _ in range(4)]
    assert all(seen.why for seen in said)
    assert said[-1].somebody == ("left",)


def test_an_arm_that_comes_rests_and_goes_is_told_at_every_look() -> None:
    it = Table().learnt()
    for _ in range(12):
        seen = it.look(arm(table()))
        assert seen.somebody == ("left",)
        assert seen.why == "somebody or something reaches into the picture of camera left"
    assert seen.still_s > GREY_S, "however still it is"
    assert it.look(table()).stirs == ("left",)
    assert it.look(table()).why is None


def test_light_that_is_dimmed_and_warmed_alarms_nobody() -> None:
    it = Table().learnt()
    for step in range(1, 10):
        assert it.look(table() * (1 - 0.05 * step) * np.array([1 - 0.015 * step, 1, 1.0])).why is None


def test_a_shadow_that_moves_is_waited_for_until_it_has_lain_still() -> None:
    it = Table().learnt()
    said = [it.look(shadow(table())) for _ in range(int(GREY_S / 0.5) + 2)]
    assert said[0].stirs == ("left",)
    assert said[3].why == "light or shade has changed in the picture of camera left (1.5 of 5 s)"
    assert not any(seen.somebody for seen in said)
    assert said[-1].why is None
    assert it.look(shadow(table())).grey == (), "it belongs to the empty scene now"


def test_a_grey_arm_that_sways_a_little_is_never_taken_for_a_shadow() -> None:
    it = Table().learnt()
    for k in range(int(GREY_S / 0.5) + 4):
        seen = it.look(arm(table(), (60, 65, 58), 30 + k % 2 * 2))
        assert seen.somebody == ()
        assert seen.why is not None


def test_a_thing_that_was_left_is_accepted_where_the_single_picture_shows_no_hand() -> None:
    it = Table().learnt()
    said = [it.look(thing(table())) for _ in range(int(LEFT_S / 0.5) + 2)]
    assert said[1].why == "something new lies in the picture of camera left (0.5 of 3 s)"
    assert said[-1].why is None
    assert it.asked == 2


def test_a_thing_that_the_single_picture_calls_a_hand_is_not_accepted() -> None:
    it = Table().learnt()
    it.hand = True
    assert all(it.look(thing(table())).why for _ in range(int(LEFT_S / 0.5) + 4))


def test_time_in_which_nobody_looked_does_not_count_as_still() -> None:
    it = Table().learnt()
    assert it.look(shadow(table()), after_s=60.0).still_s == 0
    assert it.look(shadow(table()), after_s=GAP_S).still_s == GAP_S
    assert it.look(table(), after_s=60.0).why is None, "but an empty scene is seen at once"


def test_a_picture_that_stands_still_is_told_unless_the_camera_has_no_noise() -> None:
    for live in (True, False):
        it = Table(live=live).learnt()
        it.look(table(), noise=0.0)
        seen = it.look(table(), noise=0.0)
        assert seen.frozen == (("left",) if live else ())
        assert (seen.why is None) is not live


def test_a_picture_older_than_the_one_before_is_told() -> None:
    it = Table(live=False).learnt()
    assert it.look(table(), after_s=-0.3).frozen == ("left",)


def test_a_covered_camera_is_told() -> None:
    it = Table().learnt()
    colours = generator(1, "cloth").uniform(20, 220, (6, 8, 3))
    cloth = cv2.resize(colours, (320, 240), interpolation=cv2.INTER_NEAREST)
    assert it.look(cloth).blind == ("left",)


def test_a_dark_picture_is_refused_not_called_empty() -> None:
    it = Table().learnt()
    with pytest.raises(PerceptionError, match="too dark"):
        it.look(table() * 0.02)


def test_the_scene_is_learnt_anew_when_the_first_one_showed_the_arm_before_it_parked() -> None:
    it = Table()
    for _ in range(3):
        it.look(arm(table(), (60, 62, 70)))
    it.watch.keep([it.frame(table())])
    said = [it.look(table()) for _ in range(3)]
    assert not any(seen.somebody for seen in said)
    assert said[-1].why is None


def test_somebody_who_came_while_the_arm_parked_does_not_become_part_of_the_empty_scene() -> None:
    it = Table().learnt()
    it.watch.keep([it.frame(table())])
    it.watch.keep([it.frame(arm(table()))])
    assert it.look(arm(table())).somebody == ("left",)
    assert it.look(table(), after_s=30.0).why is None


def box_at(centre_px: tuple[float, float], half_m: float) -> Array:
    """Corners of a cube (8, 3) that the camera shows about a pixel, on the plane of the tower's base."""
    eye, K = camera(), camera().K
    way = eye.T_world_camera[:3, :3] @ np.linalg.solve(K, [*centre_px, 1.0])
    at = eye.position_m() - eye.position_m()[2] / way[2] * way
    return np.asarray(at + half_m * (2 * np.indices((2, 2, 2)).reshape(3, 8).T - 1.0))


def test_robot_s_own_arm_beside_the_tower_is_not_somebody_but_another_one_is() -> None:
    """The picture's left edge to (115, 110) shows an arm, of the robot or not."""
    it = Table().learnt()
    own = [box_at((x, 90 + (x + 25) / 7), 0.03) for x in range(-30, 140, 12)]
    seen = [it.frame(arm(table(), (60, 62, 150)))]
    assert it.watch.reaching_in(seen, own) is None
    assert it.watch.reaching_in(seen, []) == "somebody or something reaches into the picture of camera left"


def test_where_the_robot_s_arm_was_parked_may_look_otherwise_while_it_is_away() -> None:
    it = Table().learnt()
    parked = [box_at((x, 90 + (x + 25) / 7), 0.03) for x in range(-30, 140, 12)]
    it.watch.keep([it.frame(arm(table(), (60, 62, 150)))])  # with nobody told of it, it is somebody
    it.watch.keep([it.frame(table())], parked)
    assert it.watch.reaching_in([it.frame(arm(table(), (60, 62, 150)))], []) is None


def test_nobody_is_seen_beside_the_arm_before_the_empty_scene_is_known() -> None:
    it = Table()
    assert it.watch.reaching_in([it.frame(arm(table()))], []) is None
