"""The results of a run as files: pictures, and a manifest with every value and step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PIL import Image

from placecell.engine.describe import record
from placecell.engine.interpreter import RunResult, Step
from placecell.engine.values import Picture, Value
from placecell.errors import UserError


def write_results(result: RunResult, folder: Path) -> dict[str, Any]:
    """Write ``manifest.json`` and ``picture-01.png``, each picture with its camera in a JSON file of the same name.

    Returns the manifest: ``values`` in the order of the program's return, ``steps``, ``stats``. A value that is a
    picture names its file as ``picture``. UserError when the folder cannot be written.
    """
    names = {id(picture): f"picture-{number:02d}.png" for number, picture in enumerate(result.pictures, 1)}
    manifest = {
        "values": [_named(value, names) for value in result.values],
        "steps": [_step(step, names) for step in result.steps],
        "stats": vars(result.stats),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for picture in result.pictures:
            _write_picture(picture, folder / names[id(picture)])
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror or error}", hint="choose another folder for the results") from None
    return manifest


def write_pictures(pictures: Iterable[tuple[str, Picture]], folder: Path) -> tuple[Path, ...]:
    """Write pictures as ``NAME.png``, each with its camera in ``NAME.json``. UserError when the folder cannot be."""
    written = []
    try:
        for name, picture in pictures:
            folder.mkdir(parents=True, exist_ok=True)
            written.append(_write_picture(picture, folder / f"{name}.png"))
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror or error}", hint="choose another folder for the pictures") from None
    return tuple(written)


def _write_picture(picture: Picture, path: Path) -> Path:
    Image.fromarray(picture.rgb).save(path)
    path.with_suffix(".json").write_text(json.dumps(picture.sidecar, indent=2) + "\n", encoding="utf-8")
    return path


def _named(value: Value, names: dict[int, str]) -> dict[str, Any]:
    out = record(value)
    if isinstance(value, Picture):
        out["picture"] = names.get(id(value))
    return out


def _step(step: Step, names: dict[int, str]) -> dict[str, Any]:
    return {
        "number": step.number,
        "line": step.span.line,
        "operation": step.operation,
        "target": step.target,
        "arguments": {name: record(value)["text"] for name, value in step.arguments.items()},
        "result": _named(step.result, names),
        "viewpoint": step.viewpoint,
        "milliseconds": round(step.milliseconds, 3),
    }
