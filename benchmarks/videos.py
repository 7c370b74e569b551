"""Questions about made-up videos in VLM4D's families: from true tracks, from true masks, and from noisy ones.

    python benchmarks/videos.py [--videos 200] [--arms tracks masks noisy] [--first 0] [--json FILE]
    python benchmarks/videos.py --read FILE ...

Each video is 24 frames of 160 x 120 over 4.6 s, with one to five movers and a camera that stands, shakes, pans or
walks. "tracks" are exact, so that only language, engine and reading can fail. "masks" are the true masks with their
identity; "noisy" are those of a detector that knows no identity, misses a tenth, splits and joins a twentieth each,
shifts a fifth by up to 15 % and misnames 3 %, with 1 % noise of depth. Both are told each mover's front once;
of what has no track, the boxes are the true ones.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from placecell.agents.pipeline import Asker
from placecell.backends.synthetic.asking import SyntheticQuestion
from placecell.backends.synthetic.moving.film import film, with_fronts
from placecell.backends.synthetic.moving.perfect import perfect_video
from placecell.backends.synthetic.moving.questions import FAMILIES, questions_about
from placecell.backends.synthetic.moving.scene import MovingScene
from placecell.backends.synthetic.moving.stage import make_scene
from placecell.backends.synthetic.noise import LIGHT, SyntheticSegmenter
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import SpatialMemory
from placecell.memory.video import tracks_in

DEPTH_SD = 0.01
PER_FAMILY = 2


@dataclass(frozen=True)
class Row:
    """One question under one arm."""

    arm: str
    video: int
    camera: str
    family: str
    question: str
    truth: str
    said: str
    right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--arms", nargs="+", choices=tuple(ARMS), default=list(ARMS))
    parser.add_argument("--json", type=Path, help="add every answer to this file, one a line")
    parser.add_argument("--read", type=Path, nargs="+", help="print the tables of such files; nothing is asked")
    parsed = parser.parse_args()
    if parsed.read:
        rows = [Row(**json.loads(line)) for path in parsed.read for line in path.read_text().splitlines()]
    else:
        numbers = range(parsed.first, parsed.first + parsed.videos)
        rows = [row for number in numbers for row in asked_and_kept(number, parsed.arms, parsed.json)]
    arms = [arm for arm in ARMS if any(row.arm == arm for row in rows)]
    print(f"{len({row.video for row in rows})} videos")
    print_scores(rows, arms)
    print_refusals(rows, arms)
    for arm in arms:
        print_confusion([row for row in rows if row.arm == arm], arm)


def asked_and_kept(number: int, arms: Sequence[str], path: Path | None) -> list[Row]:
    rows = list(asked_of(number, arms))
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(row)) + "\n" for row in rows)
    return rows


def asked_of(number: int, arms: Sequence[str]) -> Iterator[Row]:
    """Every question about one video, under every arm."""
    scene = make_scene(number)
    video = film(scene)
    asked = questions_about(scene, video, per_family=PER_FAMILY)
    for arm in arms:
        asker = Asker(ARMS[arm](scene, video))
        for question in asked:
            answer = asker.ask(question.question, question.options)
            yield Row(
                arm,
                number,
                scene.camera_act,
                question.family,
                question.question,
                said_of(question, question.answer),
                "no answer" if answer.letter is None else said_of(question, answer.letter),
                answer.letter == question.answer,
            )


def said_of(question: SyntheticQuestion, letter: str) -> str:
    """What an option says, the same for every thing."""
    text = next(option[3:] for option in question.options if option.startswith(letter))
    return "not there" if text.startswith("there are no ") else text


def from_tracks(scene: MovingScene, video: Reconstruction) -> SpatialMemory:
    return perfect_video(scene, video)


def from_masks(scene: MovingScene, video: Reconstruction) -> SpatialMemory:
    return with_fronts(perfect_video(scene, video, tracks_in(video)), scene)


def from_noisy_masks(scene: MovingScene, video: Reconstruction) -> SpatialMemory:
    noisy = film(scene, depth_sd=DEPTH_SD)
    segmenter = SyntheticSegmenter.of(noisy, LIGHT, seed=scene.seed)
    masks = segmenter.segment(noisy.frames, sorted(noisy.vocabulary))
    found = {frame.number: proposals for frame, proposals in zip(noisy.frames, masks, strict=True)}
    return with_fronts(perfect_video(scene, noisy, tracks_in(noisy, proposals=found)), scene)


ARMS: Mapping[str, Callable[[MovingScene, Reconstruction], SpatialMemory]] = {
    "tracks": from_tracks,
    "masks": from_masks,
    "noisy": from_noisy_masks,
}


def print_scores(rows: Sequence[Row], arms: Sequence[str]) -> None:
    print(f"{'family':14}{'n':>6}" + "".join(f"{arm:>9}" for arm in arms))
    for family in (*FAMILIES, "all"):
        of_it = [row for row in rows if family in (row.family, "all")]
        if of_it:
            print(f"{family:14}{len(of_it) // len(arms):6}" + "".join(f"{share(of_it, arm):9.1%}" for arm in arms))
    print("\nby camera")
    for camera in sorted({row.camera for row in rows}):
        of_it = [row for row in rows if row.camera == camera]
        print(f"{camera:14}{len(of_it) // len(arms):6}" + "".join(f"{share(of_it, arm):9.1%}" for arm in arms))


def share(rows: Sequence[Row], arm: str) -> float:
    right = [row.right for row in rows if row.arm == arm]
    return sum(right) / max(1, len(right))


def print_refusals(rows: Sequence[Row], arms: Sequence[str]) -> None:
    """Answers that say that there is nothing to say: of things that are not there, and of things that rest."""
    print("\nanswered as such")
    none = [row for row in rows if row.truth == "not there" or (row.family, row.truth) == ("presence", "No")]
    rest = [row for row in rows if row.truth in ("not moving", "not turning", "not spinning")]
    for name, of_it in (("no such object", none), ("not moving", rest)):
        print(f"{name:14}{len(of_it) // len(arms):6}" + "".join(f"{share(of_it, arm):9.1%}" for arm in arms))


def print_confusion(rows: Sequence[Row], arm: str) -> None:
    """What was said, by what is true; numbers of counts are compared with the truth."""
    asked: Counter[str] = Counter()
    wrong: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        truth, said = row.truth, row.said
        if truth.isdigit():
            truth, said = "a number", "another number" if said.isdigit() else said
        elif row.family == "which":
            truth, said = "a thing", said if said == "no answer" else "another thing"
        asked[truth] += 1
        if not row.right:
            wrong[truth][said] += 1
    print(f"\nconfusion, {arm}: truth, asked, right, said instead")
    for truth, count in asked.most_common():
        instead = ", ".join(f"{word} {n}" for word, n in wrong[truth].most_common())
        print(f"  {truth:22}{count:5}{count - wrong[truth].total():6}  {instead}")


if __name__ == "__main__":
    main()
