import numpy as np

from placecell.backends.synthetic.blur import Blur, blurred
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory

TRUTH = perfect_memory(make_room(3))
BLUR = Blur(centre_m=0.05, side_m=0.02, scale=0.1)


def test_errors_are_as_large_as_the_memory_says_and_its_scale_is_wrong_as_a_whole():
    off, factors = [], []
    for seed in range(40):
        spoiled = blurred(TRUTH, BLUR, seed)
        factor = float(np.sqrt(spoiled.layout.floor_area / TRUTH.layout.floor_area))
        for true, seen in zip(TRUTH.instances, spoiled.instances, strict=True):
            np.testing.assert_allclose(seen.centre_sd, BLUR.centre_m * factor)
            off.append((seen.centre / factor - true.centre) / BLUR.centre_m)
        factors.append((factor - 1) / spoiled.scale.relative_error)
    assert abs(np.std(off) - 1) < 0.05
    assert abs(np.mean(off)) < 0.05
    assert 0.75 < np.std(factors) < 1.25


def test_the_same_seed_makes_the_same_errors():
    first, again, other = (blurred(TRUTH, BLUR, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.instances[0].centre, again.instances[0].centre)
    assert not np.allclose(first.instances[0].centre, other.instances[0].centre)
    assert first.version == TRUTH.version
