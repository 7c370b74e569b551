"""``placecell render``: one picture of a memory, with its exact camera in a JSON file beside it."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from placecell.apps.memories import open_memory
from placecell.apps.output import Output
from placecell.errors import UserError


class Mode(StrEnum):
    """What is drawn: from the camera, from an orbit around the scene, from above, with objects, ways over time."""

    EGO = "ego"
    GLOBAL = "global"
    BEV = "bev"
    SEMANTIC = "semantic"
    PATHS = "paths"


def render(
    out: Output,
    memory: Annotated[str, typer.Argument(help="A .pcell, any source `build` takes, or oracle:FILE#SCENE.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture, .png or .jpg; .gif for moving paths.")],
    camera: Annotated[int, typer.Option(min=1, help="The anchor: an image number.")] = 1,
    azimuth: Annotated[float, typer.Option(min=-360, max=360, help="Degrees to the right of the anchor.")] = 0.0,
    elevation: Annotated[float, typer.Option(min=-90, max=90, help="Degrees; ego: up, global: from higher up.")] = 0.0,
    mode: Annotated[Mode, typer.Option(help="What to draw.")] = Mode.EGO,
    size: Annotated[int, typer.Option(min=64, max=4096, help="Longest side in pixels.")] = 768,
) -> int:
    """Draw one picture and write its camera to a JSON file of the same name."""
    moving = mode is Mode.PATHS and output.suffix.lower() == ".gif"
    if output.suffix.lower() not in {".png", ".jpg", ".jpeg"} and not moving:
        raise UserError(f"{output}: pictures are written as .png or .jpg")
    from PIL import Image

    from placecell.engine.context import PictureSettings
    from placecell.engine.pathview import animate_paths, render_paths
    from placecell.engine.renders import render_view

    opened = open_memory(memory, out)
    if mode is Mode.PATHS:
        picture = render_paths(opened, PictureSettings(size))
    else:
        view = cast("Literal['ego', 'global', 'bev', 'semantic']", mode.value)
        picture = render_view(opened, anchor=camera, azimuth=azimuth, elevation=elevation, mode=view, size=size)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        if moving:
            output.write_bytes(animate_paths(opened, PictureSettings(size)))
        else:
            Image.fromarray(picture.rgb).save(output)
        output.with_suffix(".json").write_text(json.dumps(picture.sidecar, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{output}: {error.strerror or error}", hint="choose another place for the picture") from None
    out.record({"picture": str(output), **picture.sidecar})
    out.text(f"{output}: {picture.caption}")
    return 0
