import numpy as np
import pytest

from placecell.engine.ways import share_left, smoothed


@pytest.mark.parametrize("i", [0, 1, 6, 11])
def test_what_smoothing_leaves_of_the_noise_is_known(i):
    rng = np.random.default_rng(5)
    times = np.arange(12) * 0.1
    left = [smoothed(times, rng.standard_normal((12, 3)))[i] for _ in range(400)]
    assert np.std(left) == pytest.approx(share_left(times, i), rel=0.06)


def test_three_moments_are_not_smoothed():
    assert share_left(np.arange(3.0), 1) == 1.0
