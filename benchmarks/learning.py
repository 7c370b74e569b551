"""Does it learn? The smallest policy on rooms of which one canonical view shows the answer, several seeds.

    python benchmarks/learning.py OUT --seeds 3

Writes OUT/learning.png and .svg (extra ``plots``) and OUT/one_view.png, three of the rooms. Prints each curve's ends,
the time of an episode, and of a view that is kept against one that is rendered.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from placecell.evaluation.report.charts import Curves
from placecell.evaluation.report.plots import draw
from placecell.memory.scene import SpatialMemory
from placecell.training.bandit import Bandit, Progress
from placecell.training.env import SpatialEnv
from placecell.training.limits import Limits
from placecell.training.one_view import SIDES, OneView, informative, samples
from placecell.training.view_cache import CANONICAL, ViewCache

ROOMS, HELD_OUT, SIDE = 96, 40, 96
FULL_SIZE = 448


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parsed = parser.parse_args()
    parsed.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        cache = ViewCache(Path(folder))
        curves = [learned(cache, seed) for seed in range(parsed.seeds)]
        views(cache)
        sheet(cache).save(parsed.out / "one_view.png", optimize=True)
    sure = {f"seed {k}": {float(p.episodes): p.informative for p in curve} for k, curve in enumerate(curves)}
    steps = [[p for p in curve if p.reward is not None] for curve in curves]
    earned = {
        float(together[0].episodes): sum(p.reward or 0.0 for p in together) / len(together)
        for together in zip(*steps, strict=True)
    }
    panels = {"probability, unseen rooms": sure, "reward": {"reward, mean of the seeds": earned}}
    title = "Choosing the one view that shows the answer (chance: 1 in 4)"
    draw(Curves("learning", title, panels, "episodes"), parsed.out / "learning")


def learned(cache: ViewCache, seed: int) -> tuple[Progress, ...]:
    """One training, with rooms of its own."""
    limits = Limits(turns=1, side=SIDE, image_tokens=64)
    env = SpatialEnv("canonical", OneView(), limits=limits, render=cache.render)
    started = time.process_time()
    curve = Bandit().train(env, samples(ROOMS, seed=10 + seed), samples(HELD_OUT, seed=50 + seed), seed=seed)
    seconds = time.process_time() - started
    first, last = curve[0], curve[-1]
    print(
        f"seed {seed}: {first.informative:.1%} to {last.informative:.1%} after {last.episodes} episodes, "
        f"reward {curve[1].reward:.2f} to {last.reward:.2f}, {1e3 * seconds / last.episodes:.1f} ms an episode"
    )
    return curve


def sheet(cache: ViewCache) -> Image.Image:
    """A room for each side: the photo, and the three canonical views; the one that shows the answer is framed."""
    width, height, head = 240, 180, 22
    rooms = [next(s for s in samples(40, seed=99) if s.group == side) for side in SIDES]
    drawn = Image.new("RGB", (4 * (width + 6), len(rooms) * (height + 6) + head), "white")
    canvas = ImageDraw.Draw(drawn)
    for column, name in enumerate(("photo", *SIDES)):
        canvas.text((column * (width + 6) + 4, 3), name, fill="black", font_size=14)
    for row, sample in enumerate(rooms):
        memory = OneView().make(sample)
        for column, angles in enumerate((None, *CANONICAL)):
            rgb = memory.frame(1).rgb if angles is None else look(cache, memory, angles)
            at = (column * (width + 6), head + row * (height + 6))
            drawn.paste(Image.fromarray(rgb).resize((width, height)), at)
            if angles == informative(sample):
                canvas.rectangle((*at, at[0] + width - 1, at[1] + height - 1), outline=(0, 130, 60), width=3)
    return drawn.quantize(128)


def look(cache: ViewCache, memory: SpatialMemory, angles: tuple[float, float]) -> NDArray[np.uint8]:
    azimuth, elevation = angles
    view = cache.render(
        memory, anchor=1, azimuth=azimuth, elevation=elevation, mode="global", size=240, profile="think3d"
    )
    return view.rgb


def views(cache: ViewCache) -> None:
    """Milliseconds of a canonical view, rendered and kept, and read again."""
    memory = OneView().make(samples(1, seed=99)[0])
    cache.prerender(memory, size=64)  # compiles, and takes the memory's digest
    for name in ("rendered and kept", "read"):
        started = time.perf_counter()
        count = cache.prerender(memory, size=FULL_SIZE)
        milliseconds = 1e3 * (time.perf_counter() - started) / count
        print(f"a view of {FULL_SIZE} pixels, {len(memory.cloud)} points, {name}: {milliseconds:.1f} ms")


if __name__ == "__main__":
    main()
