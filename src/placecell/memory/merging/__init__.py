"""From masks of single views to objects. ``merge.merge`` is the door; ``settings`` holds every constant.

``support`` measures what each view says about each mask, ``edges`` merges as the Reasmory paper does, ``consensus`` as
we do.
"""
