import numpy as np
from numpy.testing import assert_array_equal

from placecell.geometry.depth import depth_edges


def test_edges_are_on_both_sides_of_a_jump_and_nowhere_else():
    z = np.ones((6, 8))
    z[:, 4:] = 2
    expected = np.zeros((6, 8), bool)
    expected[:, 3:5] = True
    assert_array_equal(depth_edges(z), expected)


def test_unknown_pixels_are_no_edges_and_make_none():
    z = np.ones((5, 5))
    z[2, 2] = 0
    z[0, 0] = np.nan
    assert not depth_edges(z).any()


def test_a_slant_within_the_ratio_is_no_edge():
    z = np.cumprod(np.full((4, 20), 1.02), axis=1)
    assert not depth_edges(z, ratio=0.03).any()
    assert depth_edges(z, ratio=0.01).all()
