"""The pictures of a trace page: each is in the page once, however often it is shown, and cameras drawn over a top view.

Knows SVG and the records of cameras. Does not know events or the order of the page.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from placecell.agents.events import PictureRef
from placecell.agents.log import Log
from placecell.agents.markup import Markup, join, tag

_COLOUR = "#d4148c"
"""Of viewpoints drawn over a top view; the photos' cameras in it are blue, the viewer red."""


class Pictures:
    """Pictures a page refers to. ``store`` gives those that were shown, to be put at the page's end."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._used: dict[str, PictureRef] = {}

    def image(self, picture: PictureRef, *, over: Markup | None = None, words: str = "") -> Markup:
        """The picture itself, with ``over`` drawn on it in its own pixels; ``words`` stand for it when read aloud."""
        self._used.setdefault(picture.digest, picture)
        return tag(
            "svg",
            tag("use", href=f"#p-{picture.digest[:16]}"),
            over,
            view_box=f"0 0 {picture.width} {picture.height}",
            role="img",
            aria_label=words or _first_line(picture),
            style=f"max-width:{max(picture.width, 320)}px",
        )

    def figure(self, picture: PictureRef, *, title: str = "", over: Markup | None = None, note: str = "") -> Markup:
        """The picture with its caption, and its exact camera, folded; of a long caption the first line is shown."""
        rest = picture.caption.partition("\n")[2]
        return tag(
            "figure",
            self.image(picture, over=over),
            tag(
                "figcaption",
                tag("b", title, " ") if title else None,
                _first_line(picture),
                f". {note}" if note else None,
                tag("details", tag("summary", "the whole caption"), tag("pre", rest, class_="said")) if rest else None,
                _camera(picture),
            ),
        )

    def thumbnail(self, picture: PictureRef) -> Markup:
        """A small picture with its caption and how it was sent."""
        caption = join([_first_line(picture), tag("br"), sent(picture)])
        return tag("figure", self.image(picture), tag("figcaption", caption, _camera(picture)))

    def store(self) -> Markup:
        """The bytes of every picture that was shown, once each."""
        images = [self._stored(picture) for picture in self._used.values()]
        return tag("svg", tag("defs", *images), class_="store", aria_hidden="true")

    def _stored(self, picture: PictureRef) -> Markup:
        data = base64.b64encode(self._log.data(picture.digest)).decode("ascii")
        return tag(
            "image",
            id=f"p-{picture.digest[:16]}",
            width=picture.width,
            height=picture.height,
            href=f"data:{picture.media_type};base64,{data}",
        )


def name_of(picture: PictureRef) -> str:
    """What to call a picture without a caption."""
    return f"image {picture.image}" if picture.image is not None else "picture"


def _first_line(picture: PictureRef) -> str:
    return picture.caption.partition("\n")[0] or name_of(picture)


def sent(picture: PictureRef) -> str:
    """Size and type as sent: "640 x 480, 31 kB, image/jpeg"."""
    return f"{picture.width} x {picture.height}, {max(1, round(picture.bytes / 1000))} kB, {picture.media_type}"


def _camera(picture: PictureRef) -> Markup | None:
    if not picture.camera:
        return None
    return tag("details", tag("summary", "exact camera"), tag("code", json.dumps(picture.camera)))


def viewpoints_over(top: PictureRef, views: Sequence[tuple[str, PictureRef]]) -> tuple[Markup, list[str]]:
    """Marks for the cameras of named ``views`` in the pixels of a top view, and the names of those outside the map.

    A mark opens where the camera looks; one that looks straight up or down is a ring.
    """
    plan = top.camera
    if "units_per_pixel" not in plan or "map_width" not in plan:
        return Markup(""), []
    marks, outside = [], []
    page_from_world = np.linalg.inv(np.asarray(plan["world_from_cam"], float))[:2]
    width, height = float(plan["map_width"]), float(plan["map_height"])
    size = max(width, height) / 30
    for name, view in views:
        if not _has_place(view.camera):
            continue
        world_from_cam = np.asarray(view.camera["world_from_cam"], float)
        at = page_from_world @ world_from_cam[:, 3] / plan["units_per_pixel"] + (width / 2, height / 2)
        along = page_from_world @ world_from_cam[:, 2]
        inside = np.clip(at, (size, size), (width - size, height - size))
        if not np.array_equal(inside, at):
            outside.append(name)
        marks.append(_mark(name, inside, along, _half_angle(view.camera), size))
    return join(marks), outside


def _has_place(camera: Mapping[str, Any]) -> bool:
    return camera.get("K") is not None and camera.get("world_from_cam") is not None


def _half_angle(camera: Mapping[str, Any]) -> float:
    return min(1.2, math.atan(camera["width"] / (2 * camera["K"][0][0])))


def _mark(name: str, at: Any, along: Any, half: float, size: float) -> Markup:
    x, y = float(at[0]), float(at[1])
    look = {"stroke": _COLOUR, "stroke_width": f"{size / 10:.1f}", "fill": _COLOUR, "fill_opacity": "0.25"}
    if float(np.hypot(*along)) < 0.2:
        shape = tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{size * 0.6:.1f}", **look)
    else:
        angle = math.atan2(float(along[1]), float(along[0]))
        ends = [(x + 1.6 * size * math.cos(angle + s), y + 1.6 * size * math.sin(angle + s)) for s in (-half, half)]
        corners = [(x, y), *ends]
        shape = tag("polygon", points=" ".join(f"{u:.1f},{v:.1f}" for u, v in corners), **look)
    label = tag(
        "text",
        name,
        x=f"{x:.1f}",
        y=f"{y:.1f}",
        fill="#fff",
        stroke=_COLOUR,
        stroke_width=f"{size / 5:.1f}",
        paint_order="stroke",
        font_size=f"{size:.1f}",
        font_weight="700",
        font_family="sans-serif",
        text_anchor="middle",
        dominant_baseline="central",
    )
    return join([shape, label])
