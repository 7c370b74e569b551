"""Small photos and videos made on the spot, whose content is known exactly."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

CORNERS = {
    "top left": (220, 30, 30),
    "top right": (30, 200, 30),
    "bottom left": (30, 30, 220),
    "bottom right": (240, 220, 40),
}


@pytest.fixture(scope="session")
def corners() -> np.ndarray:
    """(48, 64, 3): a picture whose four quarters have different colours, so that every turn and mirror shows."""
    rgb = np.zeros((48, 64, 3), np.uint8)
    for name, colour in CORNERS.items():
        rows = slice(0, 24) if "top" in name else slice(24, 48)
        columns = slice(0, 32) if "left" in name else slice(32, 64)
        rgb[rows, columns] = colour
    return rgb


@pytest.fixture
def save(tmp_path):
    """Writes an array as a picture below the test's folder: ``save("a/b.png", rgb, **pillow_options) -> Path``."""

    def write(name: str, pixels: np.ndarray, **options) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path, **options)
        return path

    return write


def grey_of(index: int) -> int:
    return 20 + 5 * index


@pytest.fixture(scope="session")
def shown():
    """Which frames of a ``film`` these pictures are, counted from 1, read off their brightness."""
    return lambda frames: [round((float(f.rgb.mean()) - 20) / 5) + 1 for f in frames]


@pytest.fixture
def film(tmp_path):
    """Encodes a video whose frames are plain greys that tell their index; returns the path."""

    def write(
        name: str = "clip.mp4",
        frames: int = 30,
        *,
        times_ms=None,
        rate: int = 10,
        codec: str = "libx264",
        options=None,
        container_options=None,
        pixels=None,
        pix_fmt: str = "yuv420p",
        rotation: int = 0,
        aspect: Fraction | None = None,
        audio_s: float = 0.0,
    ) -> Path:
        path = tmp_path / name
        with av.open(str(path), "w", container_options=container_options or {}) as container:
            stream = container.add_stream(codec, rate=rate, options=options or {})
            first = np.zeros((48, 64, 3), np.uint8) if pixels is None else pixels
            stream.width, stream.height, stream.pix_fmt = first.shape[1], first.shape[0], pix_fmt
            if aspect is not None:
                stream.sample_aspect_ratio = aspect
            if rotation:
                stream.set_display_rotation(rotation)
            sound = container.add_stream("aac", rate=8000) if audio_s else None
            for index in range(frames):
                rgb = np.full_like(first, grey_of(index)) if pixels is None else pixels
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
                if times_ms is not None:
                    frame.pts, frame.time_base = times_ms[index], Fraction(1, 1000)
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
            if sound is not None:
                for start in range(0, int(audio_s * 8000), 1024):
                    samples = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
                    samples.sample_rate, samples.pts = 8000, start
                    container.mux(sound.encode(samples))
                container.mux(sound.encode())
        return path

    return write
