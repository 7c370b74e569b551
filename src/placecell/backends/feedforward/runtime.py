"""Loading a network so that nothing in it stays random, and running it: device, precision, memory. The only torch here.

Knows files of weights and any ``torch.nn.Module``. Does not know models or their conventions.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError

from placecell.backends.segment.running import DEVICE, pick_device
from placecell.errors import UserError

_LISTED = 5
_BF16_CAPABILITY = 8  # Ampere: the first GPUs that compute bfloat16 at full speed


class OutOfMemory(UserError):
    """The pictures do not fit the device at once. Fewer may."""


@dataclass(frozen=True)
class Device:
    """Where a network runs (``name`` as torch has it, "cuda:1") and in which precision its matrices are multiplied.

    Weights and heads stay float32.
    """

    name: str
    precision: str

    @property
    def kind(self) -> str:
        """ "cuda", "cpu", ..."""
        return self.name.partition(":")[0]

    @classmethod
    def best(cls) -> Device:
        """The device of ``PLACECELL_DEVICE``, else a CUDA GPU, else the CPU.

        A GPU computes in bfloat16 (float16 before Ampere), as the models' own examples do, all else in float32.
        """
        import torch

        if DEVICE not in os.environ and not torch.cuda.is_available():
            return cls("cpu", "float32")
        name = pick_device().name
        if not name.startswith("cuda"):
            return cls(name, "float32")
        ample = torch.cuda.get_device_capability(name)[0] >= _BF16_CAPABILITY
        return cls(name, "bfloat16" if ample else "float16")


class Loaded(NamedTuple):
    """A network that is ready to run, and the weights of its checkpoint that it had no use for."""

    network: Any
    unused: tuple[str, ...]


def load_network(make: type, folder: Path, file: str, device: Device) -> Loaded:
    """``make`` with the arguments of the folder's ``config.json`` and the weights of ``file``.

    UserError when one weight is missing: it would stay random. Then package and checkpoint are of different versions.
    """
    network = make(**_arguments(make, folder / "config.json"))
    missing, unused = _load(network, folder / file)
    if missing:
        raise UserError(
            f"{folder / file} does not fit {make.__name__}: it lacks weights ({some(missing)})",
            hint="install the version of the model's package that goes with this checkpoint",
        )
    return Loaded(network.eval().to(device.name), tuple(unused))


def some(names: Sequence[str]) -> str:
    """The first few of them, and how many there are."""
    return ", ".join(names[:_LISTED]) + (f", ... {len(names)} in all" if len(names) > _LISTED else "")


def _load(network: Any, file: Path) -> tuple[list[str], list[str]]:
    """Names that are missing and of no use. UserError for a file that cannot be read or has other shapes."""
    try:
        if file.suffix != ".safetensors":
            missing, unused = network.load_state_dict(_tensors_of(file), strict=False)
        else:
            from safetensors.torch import load_model

            missing, unused = load_model(network, file, strict=False)
    except (SafetensorError, OSError) as error:
        raise _unreadable(file, error) from None
    except RuntimeError as error:  # torch: a tensor of another shape
        raise UserError(f"{file} does not fit {type(network).__name__}: {_first_line(error)}") from None
    return sorted(missing), sorted(unused)


def _tensors_of(file: Path) -> dict[str, Any]:
    """The tensors of a ``.bin`` file, read by torch's reader that knows nothing else and runs nothing."""
    import torch

    try:
        tensors: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
    except (torch.serialization.pickle.UnpicklingError, EOFError) as error:
        raise _unreadable(file, error) from None
    return tensors


def _unreadable(file: Path, error: BaseException) -> UserError:
    return UserError(f"{file} cannot be read: {_first_line(error)}", hint="download it again")


def _arguments(make: type, config: Path) -> dict[str, Any]:
    """What ``config.json`` says about the arguments that the class takes; {} without the file."""
    if not config.is_file():
        return {}
    try:
        stated = json.loads(config.read_text(encoding="utf-8"))
    except ValueError:
        raise UserError(f"{config} is no JSON", hint="download it again") from None
    # Of __init__: the hub's mixin, which most of these classes have, puts a __new__ that takes anything before it.
    taken = inspect.signature(make.__init__).parameters  # type: ignore[misc]
    return {key: value for key, value in stated.items() if key in taken}


@contextmanager
def inference(device: Device, pictures: int) -> Iterator[None]:
    """No gradients, the device's precision, and ``OutOfMemory`` in words."""
    import torch

    half = device.precision != "float32"
    try:
        with torch.inference_mode(), torch.autocast(device.kind, getattr(torch, device.precision), enabled=half):
            yield
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        raise OutOfMemory(
            f"{pictures} pictures at once do not fit the memory of the device {device.name}",
            hint="use fewer with --frames",
        ) from None


@contextmanager
def apart_from_our_output() -> Iterator[None]:
    """What a model's package prints goes to stderr: stdout is for records."""
    with redirect_stdout(sys.stderr):
        yield


def as_input(images: NDArray[np.uint8], device: Device) -> Any:
    """(N, h, w, 3) uint8 RGB -> tensor (1, N, 3, h, w) in 0..1."""
    import torch

    return torch.from_numpy(images).to(device.name).permute(0, 3, 1, 2)[None].float() / 255


def as_array(tensor: Any) -> NDArray[np.float32]:
    """A tensor with a batch of one -> float32 array without it."""
    return np.asarray(tensor[0].detach().float().cpu().numpy())


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[1] if isinstance(error, RuntimeError) and len(lines) > 1 else lines[0])[:200] if lines else "damaged"
