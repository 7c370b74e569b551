"""Memories of videos: ``build`` picks how, ``posed`` streams RGB-D captures, ``flat`` works without depth (2.5D)."""
