"""MindCube without what gives its answers away (Reasmory's protocol): hints in the text, image order, option order.

Each step is separate, drawn by seed and sample id, and says what it changed. The truth moves with its option.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import LETTERS, Sample, bare, lettered

STEPS = ("hints", "images", "options")
_HINT = re.compile(r"^(?:(?:Based on|These|Given)\b[^?]*?: )(?=\S)", re.DOTALL)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_REFERENCE = re.compile(
    rf"\b(?P<word>images?|views?|photos?|pictures?)\s+(?P<numbers>\d+(?:(?:,\s*(?:and\s+)?|\s+and\s+)\d+)*)"
    rf"|\b(?P<ordinal>{'|'.join(_ORDINALS)})(?=\s+(?:image|view|photo|picture)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Change:
    """What one step did to one sample."""

    sample: str
    step: str
    before: str
    after: str


def debias(
    samples: Sequence[Sample], steps: Sequence[str] = STEPS, *, seed: int = 0
) -> tuple[list[Sample], list[Change]]:
    """The samples after the named steps, and every change. UserError for a step that is none of ``STEPS``."""
    unknown = [step for step in steps if step not in STEPS]
    if unknown:
        raise UserError(f"unknown debiasing step {unknown[0]!r}", hint=f"choose {', '.join(STEPS)}")
    changed, changes = [], []
    for sample in samples:
        for step in (step for step in STEPS if step in steps):
            after = _STEPS[step](sample, _generator(sample.id, step, seed))
            if after != sample:
                changes.append(Change(sample.id, step, _told(sample, step), _told(after, step)))
            sample = after
        changed.append(sample)
    return changed, changes


def remove_hints(sample: Sample, _: np.random.Generator) -> Sample:
    """Without the sentences before the question that say how the cameras stand to each other."""
    question = _HINT.sub("", sample.question)
    return replace(sample, question=question[:1].upper() + question[1:])


def shuffle_images(sample: Sample, generator: np.random.Generator) -> Sample:
    """Images in another order; "image 2", "images 1, 2 and 3" and "the second view" keep meaning the same picture.

    UserError where there are more pictures than ordinal words.
    """
    if len(sample.media) > len(_ORDINALS):
        raise UserError(f"sample {sample.id} has {len(sample.media)} images, at most {len(_ORDINALS)} are shuffled")
    order = generator.permutation(len(sample.media)).tolist()
    new_number = {old + 1: new + 1 for new, old in enumerate(order)}

    def renumber(found: re.Match[str]) -> str:
        if found["ordinal"]:
            number = new_number.get(_ORDINALS.index(found["ordinal"].lower()) + 1)
            if number is None:
                return found.group()
            word = _ORDINALS[number - 1]
            return word.capitalize() if found["ordinal"][0].isupper() else word
        numbers = re.sub(r"\d+", lambda n: str(new_number.get(int(n.group()), int(n.group()))), found["numbers"])
        return f"{found['word']} {numbers}"

    media = tuple(sample.media[old] for old in order)
    options = tuple(_REFERENCE.sub(renumber, option) for option in sample.options)
    question = _REFERENCE.sub(renumber, sample.question)
    return replace(sample, question=question, options=options, media=media, scene="+".join(media) or sample.scene)


def shuffle_options(sample: Sample, generator: np.random.Generator) -> Sample:
    """Options in another order, lettered anew; the truth's letter goes with its text."""
    order = generator.permutation(len(sample.options)).tolist()
    new_letter = {LETTERS[old]: LETTERS[new] for new, old in enumerate(order)}
    return replace(
        sample,
        options=lettered([bare(sample.options[old]) for old in order]),
        truth=new_letter.get(sample.truth, sample.truth),
        also_right=tuple(new_letter[letter] for letter in sample.also_right),
    )


_STEPS = {"hints": remove_hints, "images": shuffle_images, "options": shuffle_options}


def _generator(sample: str, step: str, seed: int) -> np.random.Generator:
    """The same change for a sample whatever else is in the run."""
    return np.random.default_rng([seed, zlib.crc32(f"{step}:{sample}".encode())])


def _told(sample: Sample, step: str) -> str:
    if step == "options":
        return " ".join(sample.options)
    return sample.question if step == "hints" else ", ".join(sample.media)
