"""Procedural rooms with exact truth.

``capture`` makes rooms and photographs them, ``path`` says from where, ``questions`` asks about them, ``perfect`` is
the memory nobody could improve. Other layers import from these four; the other modules serve them.
"""
