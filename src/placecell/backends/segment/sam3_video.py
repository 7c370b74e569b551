"""SAM 3 on a video: every instance of a phrase followed from frame to frame (transformers' ``Sam3VideoModel``).

The weights are those of the picture model, gated and under the SAM License. Frames are handed in one at a time and
forgotten, so that the length of a video does not matter. Masks come a few frames late: what the model finds and then
takes back in that time (its "hot start") never appears.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from placecell.backends.segment.rows import WEIGHTS
from placecell.backends.segment.running import (
    DEVICE,
    Checkpoint,
    Device,
    Loaded,
    check_length,
    pick_device,
    pictures,
    proposal,
    quiet,
)
from placecell.errors import UserError
from placecell.memory.ports import Proposal
from placecell.memory.scene import Frame

_TOKENS = 32


class Sam3Video:
    """A tracker, with the model's own thresholds, which are part of its checkpoint."""

    name = "sam3-video"

    def __init__(self) -> None:
        (weights,) = WEIGHTS[self.name]
        self._checkpoint = Checkpoint(weights, "Sam3VideoModel", "Sam3VideoProcessor", half="bfloat16")

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """As ``ports.Tracker``."""
        return self._checkpoint.describe(self._device)

    def track(self, frames: Iterable[Frame], phrases: Sequence[str]) -> Iterator[list[Proposal]]:
        """As ``ports.Tracker``. UserError when the GPU's memory does not hold what is followed."""
        for phrase in phrases:
            check_length(self._loaded, phrase, _TOKENS, "SAM 3")
        video = _Video(self._loaded, phrases)
        late = max(1, int(self._loaded.model.hotstart_delay))
        waiting: deque[tuple[Frame, Any]] = deque()
        for frame in frames:
            waiting.append((frame, video.seen(frame)))
            if len(waiting) >= late:
                yield video.told(*waiting.popleft())
        while waiting:
            yield video.told(*waiting.popleft())

    @cached_property
    def _device(self) -> Device:
        return pick_device()

    @cached_property
    def _loaded(self) -> Loaded:
        return self._checkpoint.load(self._device)


def sam3_video() -> Sam3Video:
    """The tracker."""
    return Sam3Video()


class _Video:
    """One video on its way through the model."""

    def __init__(self, loaded: Loaded, phrases: Sequence[str]) -> None:
        import torch

        self._loaded = loaded
        self._count = 0
        tracker = loaded.model.config.tracker_config
        self._remembered = max(tracker.num_maskmem, tracker.max_object_pointers_in_encoder)
        self._session = loaded.processor.init_video_session(
            inference_device=loaded.device.name, dtype=getattr(torch, loaded.precision)
        )
        # The model scales time by how many frames there are, up to as many as it remembers.
        self._session.processed_frames = dict.fromkeys(range(self._remembered))
        loaded.processor.add_text_prompt(self._session, list(phrases))

    def seen(self, frame: Frame) -> Any:
        """What the model says of the next frame, whose pixels and what lies too far back for it are then let go."""
        import torch

        k, session = self._count, self._session
        session.add_new_frame(self._loaded.inputs(images=pictures([frame])).pixel_values, k)
        try:
            with quiet():
                output = self._loaded.model(inference_session=session, frame_idx=k)
        except torch.OutOfMemoryError:
            raise UserError(
                f"the GPU's memory does not hold the {len(session.obj_ids)} things followed at {frame.name}",
                hint=f"name fewer things, or set {DEVICE}=cpu",
            ) from None
        session.hotstart_removed_obj_ids.update(output.removed_obj_ids)
        session.processed_frames[k] = None
        for kept in session.output_dict_per_obj.values():
            kept["non_cond_frame_outputs"].pop(k - self._remembered, None)
        self._count += 1
        return output

    def told(self, frame: Frame, output: Any) -> list[Proposal]:
        """The frame's masks, of what has not been taken back since. Identities count from 1."""
        found = self._loaded.processor.postprocess_outputs(
            self._session, output, original_sizes=[[frame.height, frame.width]]
        )
        phrases = {id_: phrase for phrase, ids in found["prompt_to_obj_ids"].items() for id_ in ids}
        made = [
            proposal(frame, phrases[id_], mask, score, identity=id_ + 1)
            for id_, mask, score in zip(
                found["object_ids"].tolist(), found["masks"], found["scores"].tolist(), strict=True
            )
        ]
        return [p for p in made if p is not None]
