import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from placecell.errors import UserError
from placecell.geometry import transforms as tf
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.proximity import (
    box_distances,
    closest_pair,
    closest_points,
    iou,
    overlap_volume,
    overlaps,
)


@st.composite
def boxes(draw):
    """Boxes near each other, often touching directions of rotation and sizes that are special: axis-aligned, flat, thin."""
    centre = draw(st.tuples(*[st.floats(-2, 2)] * 3))
    size = draw(st.tuples(*[st.sampled_from([0.0, 1.0]) | st.floats(0.01, 3)] * 3))
    angles = draw(st.tuples(*[st.sampled_from([0, 45, 90]) | st.floats(-180, 180)] * 3))
    return OrientedBox(np.array(centre), Rotation.from_euler("xyz", angles, degrees=True).as_matrix(), np.array(size))


@st.composite
def moves(draw):
    angles = draw(st.tuples(*[st.floats(-180, 180)] * 3))
    shift = draw(st.tuples(*[st.floats(-5, 5)] * 3))
    return tf.rigid(Rotation.from_euler("xyz", angles, degrees=True), shift)


def optimised_distance(a, b):
    """The distance by general bounded optimisation over both boxes' local coordinates."""
    basis = np.concatenate([a.axes.T, -b.axes.T], axis=1)
    offset = a.centre - b.centre
    limit = np.concatenate([a.size, b.size]) / 2

    def squared(x):
        gap = offset + basis @ x
        return gap @ gap, 2 * basis.T @ gap

    options = {"ftol": 1e-18, "gtol": 1e-12, "maxiter": 2000}
    found = minimize(squared, np.zeros(6), jac=True, bounds=list(zip(-limit, limit, strict=True)), options=options)
    return np.sqrt(found.fun)


@settings(max_examples=200)
@given(boxes(), boxes())
def test_box_distance_is_what_a_general_optimiser_finds(a, b):
    assert closest_points(a, b).distance == pytest.approx(optimised_distance(a, b), abs=1e-6)
