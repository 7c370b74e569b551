"""A small room and its memory for tests of training."""

from __future__ import annotations

from functools import cache

from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.path import Views
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.evaluation.benchmarks.sample import Sample

CHOICE = Sample(
    "c1", "What is to the left of image 2?", "B", "side", "room", ("A. bed", "B. desk", "C. lamp", "D. door")
)
NUMBER = Sample("n1", "How high is the ceiling in meters?", "2.5", "size", "room")
COUNT = Sample("k1", "How many chairs are there in this room?", "2", "count", "room")


@cache
def memory():
    room = make_room(5)
    return perfect_memory(room, Views(default_views(room).world_from_cam[:6]), size=(96, 72))


class Room:
    """A memory source of one room."""

    name = "room"

    def make(self, sample):
        return memory()
