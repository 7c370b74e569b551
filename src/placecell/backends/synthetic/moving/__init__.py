"""Synthetic videos with exact truth: things that move, cameras that move, and questions about both.

``stage`` makes scenes, ``film`` photographs them, ``questions`` asks about them. Other layers import from these three.
"""
