from dataclasses import replace

import numpy as np

from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.memory.rescale import rescaled
from placecell.memory.scene import Scale
from placecell.memory.track import true_track


def test_tracks_grow_with_the_memory():
    track = true_track(1, "ball", [0, 1, 2], [[0, 0, 0], [1, 0, 0], [2, 0, 1]], size=0.5, centre_sd=0.1)
    memory = replace(perfect_memory(make_room(1)), tracks=(track,))
    (grown,) = rescaled(memory, 3.0, Scale(), "for the test").tracks
    np.testing.assert_array_equal(grown.centres, 3 * track.centres)
    np.testing.assert_allclose(grown.velocity, 3 * track.velocity)
    assert (grown.size, grown.centre_sd[0]) == (1.5, 3 * track.centre_sd[0])
    np.testing.assert_array_equal(grown.times_s, track.times_s)
