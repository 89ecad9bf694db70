from __future__ import annotations

import cv2
import numpy as np
import pytest

from robot.mat import DICTIONARY
from robot.seeding import generator
from robot.trajectory import Transit
from sim.camera import SharedRenderer, SimCamera, add_noise
from sim.simulation import Simulation
from sim.viewpoints import CameraPlace, default_places
from support import bench

PLAIN = np.full((60, 80, 3), 100, np.uint8)


def quiet(table: Simulation, name: str) -> SimCamera:
    """A camera without noise."""
    place = next(place for place in table.places if place.name == name)
    return SimCamera(table.world, place, table.renderer, 0.0, 1)


@pytest.mark.parametrize("name", ["left", "right", "front"])
def test_markers_are_seen_where_the_calibration_says(drawn: Simulation, name: str) -> None:
    camera = next(camera for camera in drawn.cameras if camera.model.name == name)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    grey = cv2.cvtColor(camera.capture().image, cv2.COLOR_BGR2GRAY)
    found, numbers, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(grey)
    assert len(found) >= 4, "the plinth and the arm hide some"
    printed = drawn.world.room.mat.corners_world_m()
    off = [
        corners[0] - camera.model.project(printed[int(number)])
        for corners, number in zip(found, np.ravel(numbers), strict=True)
    ]
    assert np.linalg.norm(np.concatenate(off), axis=1).max() < 0.6
    assert np.abs(np.concatenate(off).mean(axis=0)).max() < 0.3, "pixel centres, not corners"


def test_tower_is_seen_where_the_truth_says(drawn: Simulation) -> None:
    """Wood is warm, the rest of the room is not: red exceeds blue on the tower only."""
    camera = quiet(drawn, "front")
    image = camera.capture().image.astype(int)
    wooden = image[..., 2] - image[..., 0] > 25
    rows, columns = np.nonzero(wooden)
    corners = [camera.model.project(np.array([x, y, z])) for x, y, z in _outline(drawn)]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    assert np.abs(np.percentile(columns, [0.1, 99.9]) - [low[0], high[0]]).max() < 6
    assert np.abs(np.percentile(rows, [0.1, 99.9]) - [low[1], high[1]]).max() < 9


def _outline(table: Simulation) -> list[np.ndarray]:
    half = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
    points = []
    for block in table.world.blocks:
        T = table.world.T_world_block(block.name)
        points += list(T[:3, 3] + (half * block.size_m) @ T[:3, :3].T)
    return points


def test_pictures_are_bgr(drawn: Simulation) -> None:
    image = quiet(drawn, "front").capture().image
    middle = image[400:500, 600:680].reshape(-1, 3).mean(axis=0)
    assert middle[2] > middle[0] + 20, "wood is redder than it is blue"


def test_noise_differs_from_picture_to_picture_and_has_the_set_deviation(drawn: Simulation) -> None:
    camera = drawn.cameras[0]
    first, second = (camera.capture().image.astype(float) for _ in range(2))
    bare = quiet(drawn, camera.model.name).capture().image
    middle = (bare > 20) & (bare < 235)
    assert np.std((first - second)[middle]) == pytest.approx(2.0 * np.sqrt(2), rel=0.05)
    assert np.mean((first - bare)[middle]) == pytest.approx(0.0, abs=0.05)


def test_same_seed_gives_the_same_noise() -> None:
    noisy = [add_noise(PLAIN, 5.0, generator(3, "camera", "left")) for _ in range(2)]
    assert np.array_equal(*noisy)
    other = add_noise(PLAIN, 5.0, generator(4, "camera", "left"))
    assert not np.array_equal(noisy[0], other)


def test_noise_is_cut_off_at_black_and_white() -> None:
    rng = generator(1, "noise")
    for shade in (0, 255):
        image = add_noise(np.full((60, 80, 3), shade, np.uint8), 10.0, rng)
        assert np.abs(image.astype(int) - shade).max() < 80, "no wrapping round"


def test_no_noise_leaves_the_picture_alone() -> None:
    assert add_noise(PLAIN, 0.0, generator(1, "noise")) is PLAIN


def test_colours_of_a_pixel_are_noisy_on_their_own() -> None:
    noise = add_noise(PLAIN, 8.0, generator(1, "noise")).astype(float) - 100
    assert abs(np.corrcoef(noise[..., 0].ravel(), noise[..., 1].ravel())[0, 1]) < 0.1
    assert abs(np.corrcoef(noise[:-1].ravel(), noise[1:].ravel())[0, 1]) < 0.1


def test_parked_arm_hides_no_block_from_the_cameras_to_its_sides() -> None:
    """Between a picture with the arm parked and one with it stretched away, the tower's pixels are the same."""
    table = bench.simulation("111*6", seed=1, looks=True)
    pictures = []
    for turn in (0.0, 1.5):
        goal = bench.body().park_rad + np.array([turn, 0, 0, 0, 0, 0])
        for q in Transit(np.stack([bench.body().park_rad, goal]), bench.body().limits), None:
            if q is not None and q.duration_s > 0:
                _follow(table, q)
        pictures.append([quiet(table, name).capture().image.astype(int) for name in ("left", "right")])
    for parked, away, name in zip(*pictures, ("left", "right"), strict=True):
        model = quiet(table, name).model
        corners = np.array([model.project(point) for point in _outline(table)])
        (left, top), (right, bottom) = corners.min(axis=0).astype(int), corners.max(axis=0).astype(int)
        box = (slice(top, bottom), slice(left + 8, right - 8))
        assert (np.abs(parked[box] - away[box]).max(axis=-1) > 60).mean() < 0.02, "but for its shadow"
    table.close()


def _follow(table: Simulation, transit: Transit) -> None:
    began_s = table.world.now_s()
    while table.world.now_s() - began_s < transit.duration_s:
        q, dq = transit.at(table.world.now_s() - began_s)
        table.arm.command(q, dq)
        table.world.step()
    table.arm.command(transit.at(transit.duration_s)[0], np.zeros(6))
    table.world.sleep_until(table.world.now_s() + 0.5)


def test_cameras_stand_at_opposite_corners_of_the_tower_and_look_at_it() -> None:
    places = {place.name: place for place in default_places()}
    left, right = (places[name].model().position_m() for name in ("left", "right"))
    assert left[:2] == pytest.approx(-right[:2])
    for place in places.values():
        middle = place.model().project(np.array(place.target_m))
        assert middle == pytest.approx([639.5, 479.5])
        above = place.model().project(np.array(place.target_m) + np.array([0, 0, 0.1]))
        assert above[1] < middle[1], "up in the world is up in the picture"


def test_field_of_view_spans_the_pictures_height() -> None:
    place = CameraPlace("eye", (1.0, 0.0, 0.3), (0.0, 0.0, 0.3), fovy_deg=40.0)
    half = np.tan(np.radians(20.0))
    assert place.model().project(np.array([0.0, 0.0, 0.3 + half]))[1] == pytest.approx(-0.5)


def test_closed_renderer_may_be_closed_again() -> None:
    renderer = SharedRenderer()
    renderer.close()
    renderer.close()
