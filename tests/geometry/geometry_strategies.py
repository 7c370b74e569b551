"""Hypothesis strategies for rigid transforms, boxes and cameras."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from placecell.geometry import transforms as tf
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera

# Numba compiles on the first example, so there is no deadline for one.
prove = settings(max_examples=60, deadline=None)


def vectors(limit=10.0):
    return st.tuples(*[st.floats(-limit, limit, allow_subnormal=False)] * 3).map(np.array)


@st.composite
def rigids(draw):
    """Any rotation, right angles more often than by chance, and a translation."""
    angles = draw(st.tuples(*[st.sampled_from([0, 90, -90, 180]) | st.floats(-180, 180)] * 3))
    return tf.rigid(Rotation.from_euler("xyz", angles, degrees=True), draw(vectors()))


@st.composite
def level_poses(draw):
    """Cameras that may be turned anywhere and tilted by less than 85 degrees, without roll."""
    pose = tf.level(tf.rigid(None, draw(vectors())))
    return tf.turn(pose, right=draw(st.floats(-180, 180)), up=draw(st.floats(-85, 85)))


@st.composite
def cameras(draw):
    width, height = draw(st.integers(2, 40)), draw(st.integers(2, 40))
    fx, fy = draw(st.floats(5, 100)), draw(st.floats(5, 100))
    K = np.array([[fx, 0, draw(st.floats(0, width))], [0, fy, draw(st.floats(0, height))], [0, 0, 1]])
    return Camera(K, width, height, draw(rigids()))


@st.composite
def boxes(draw):
    """Boxes near each other, often with special angles and sizes: parallel, flat, thin, a point."""
    size = draw(st.tuples(*[st.sampled_from([0.0, 1.0]) | st.floats(0.01, 3)] * 3))
    angles = draw(st.tuples(*[st.sampled_from([0, 45, 90]) | st.floats(-180, 180)] * 3))
    axes = Rotation.from_euler("xyz", angles, degrees=True).as_matrix()
    return OrientedBox(draw(vectors(2.0)), axes, np.array(size))
