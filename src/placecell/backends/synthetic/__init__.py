"""Procedural rooms with exact truth: ``capture`` makes and photographs them, ``questions`` asks about them."""
