"""Inside a video file: when each frame is shown, reaching the wanted ones, and turning them into upright RGB.

Times come from presentation timestamps, never from index / rate. Knows PyAV; which frames are wanted is ``video``'s.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from placecell.media.frames import MediaError, size_within
from placecell.media.names import printable

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

UInt8 = NDArray[np.uint8]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

_FORMATS = (
    "mov,mp4,matroska,webm,avi,gif,apng,mpegts,mpeg,mpegvideo,m4v,h264,hevc,av1,obu,ivf,mjpeg,flv,asf,ogg,dv,mxf,nut,"
    "mp3,aac,wav,flac"  # sound alone, to be able to say so
)
_UNTIMED_FORMATS = ("avi",)  # AVI has no presentation times; what the demuxer reports for reordered frames is a guess
HDR_TRANSFERS = (16, 18)  # SMPTE ST 2084 (PQ) and ARIB STD-B67 (HLG)


@dataclass(frozen=True, eq=False)
class Timeline:
    """The frames of a video in the order they are shown.

    ``times_s`` (N,) ascending seconds from the start of the file as a player counts them; the last frame is shown until
    ``end_s``. ``pts`` (N,) are the file's timestamps, None when frames can only be counted. ``key_pts`` and ``key_dts``
    (K,) ascending: frames that decoding can start from, empty when it must start at the beginning.
    """

    times_s: Float64
    end_s: float
    pts: Int64 | None
    key_pts: Int64
    key_dts: Int64
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.times_s)

    def without_keys(self) -> Timeline:
        """The same frames, reached by decoding from the beginning only."""
        return replace(self, key_pts=self.key_pts[:0], key_dts=self.key_dts[:0])

    def seek_point(self, at: int, target: int) -> tuple[int, int] | None:
        """(pts, dts) to seek to on the way from frame ``at`` (-1: nothing decoded) to ``target``; None: decode on."""
        if self.pts is None or not len(self.key_pts):
            return None
        key = int(np.searchsorted(self.key_pts, self.pts[target], side="right")) - 1
        reached = self.key_pts[0] if at < 0 else self.pts[min(at, len(self) - 1)]
        if key < 0 or self.key_pts[key] <= reached:
            return None
        return int(self.key_pts[key]), int(self.key_dts[key])


@contextmanager
def open_video(path: Path, name: str) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The file and its main video stream. MediaError when there is none, or it is no readable video."""
    import av
    from av.stream import Disposition

    try:
        if not path.is_file():
            raise MediaError(name, "is no file" if path.exists() else "does not exist")
        if path.stat().st_size == 0:
            raise MediaError(name, "is empty (0 bytes)")
        # "file:" and the whitelists: a name is never taken for a protocol, a playlist or a text never for a video.
        options = {"protocol_whitelist": "file", "format_whitelist": _FORMATS}
        container = av.open("file:" + os.fspath(path), options=options, metadata_errors="replace")
    except (av.InvalidDataError, av.ArgumentError):
        raise MediaError(name, "is no video in a known format, or it is damaged or unfinished") from None
    except (av.FFmpegError, OSError) as error:
        raise MediaError(name, f"cannot be read as video ({_reason(error)})") from None
    with container:
        streams = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
        if not streams:
            kinds = " and ".join(sorted({s.type for s in container.streams}))
            raise MediaError(name, "has no video" + (f", only {kinds}" if kinds else ""))
        # A stream in an unknown codec has no context, which PyAV's stub leaves out.
        known = [s for s in streams if cast("object", s.codec_context) is not None]
        if not known:
            raise MediaError(name, "its codec is not known here", hint="convert it to H.264 in MP4")
        stream = max(known, key=lambda s: s.codec_context.width * s.codec_context.height)
        stream.thread_type = "AUTO"
        yield container, stream


def read_timeline(path: Path, name: str) -> Timeline:
    """Walk through the packets, without decoding where the file keeps presentation times."""
    import av

    notes: list[str] = []
    shown: list[tuple[int, int]] = []  # pts, duration
    keys: list[tuple[int, int]] = []  # pts, dts
    with open_video(path, name) as (container, stream):
        timed, packets = container.format.name not in _UNTIMED_FORMATS, 0
        try:
            for packet in _packets(container, stream):
                if packet.size == 0:
                    continue
                packets += 1
                if packet.pts is None:
                    timed = False
                    continue
                if packet.is_keyframe:
                    keys.append((packet.pts, packet.pts if packet.dts is None else packet.dts))
                if not packet.is_discard:  # an edit list hides frames that decoding may still need
                    shown.append((packet.pts, packet.duration or 0))
        except av.FFmpegError as error:
            notes.append(f"damaged or cut short ({_reason(error)})")
        if packets < stream.frames:
            notes.append(f"its header promises {stream.frames} frames, {packets} are there")
        rate, unit = float(stream.average_rate or 0), float(stream.time_base or 0)
        start = None if container.start_time is None else container.start_time / av.time_base
        promised = 0.0 if container.duration is None or container.streams.audio else container.duration / av.time_base
    shown.sort()
    pts = np.array([p for p, _ in shown], np.int64)
    if not timed or len(np.unique(pts)) < len(pts):
        return _timeline_by_decoding(path, name, rate, unit, start, tuple(notes))
    if not len(pts):
        raise MediaError(name, "holds no video frames")
    times = np.asarray(pts * unit - (pts[0] * unit if start is None else start), np.float64)
    seek = np.array(sorted(keys), np.int64).reshape(-1, 2)
    end = _end(times, shown[-1][1] * unit, rate)
    if not notes and promised > end + max(0.5, 0.1 * end):
        notes.append(f"its header promises {promised:.1f} s, {end:.1f} s are there")
    return Timeline(times, end, pts, key_pts=seek[:, 0], key_dts=seek[:, 1], notes=tuple(notes))


def _timeline_by_decoding(
    path: Path, name: str, rate: float, unit: float, start: float | None, notes: tuple[str, ...]
) -> Timeline:
    """For files without usable presentation times: the decoder's, or else evenly spaced frames, which a note says."""
    with open_video(path, name) as (container, stream):
        decoded = [frame.pts for frame, _ in _decode_on(container, stream)]
    none = np.zeros(0, np.int64)
    if not decoded:
        raise MediaError(name, "no frame can be decoded")
    pts = np.array([-1 if p is None else p for p in decoded], np.int64)
    if None not in decoded and np.all(np.diff(pts) > 0):
        times = pts * unit - (pts[0] * unit if start is None else start)
        return Timeline(times, _end(times, 0.0, rate), pts, none, none, notes)
    if rate <= 0:
        raise MediaError(name, "keeps neither frame times nor a frame rate", hint="convert it to MP4")
    times = np.arange(len(pts)) / rate
    note = f"keeps no frame times; frames are taken as {rate:g} a second"
    return Timeline(times, _end(times, 0.0, rate), None, none, none, (*notes, note))


def _end(times: Float64, last_duration: float, rate: float) -> float:
    """When the last frame goes: its own duration, else the usual gap, else one frame of the stated rate."""
    if last_duration <= 0:
        last_duration = float(np.median(np.diff(times))) if len(times) > 1 else 1.0 / rate if rate > 0 else 0.0
    return float(times[-1] + last_duration)


def _packets(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    try:
        yield from container.demux(stream)
    except IndexError:  # PyAV stumbles, past the last packet, over streams that appeared while reading
        return


def decode_frames(
    path: Path, name: str, timeline: Timeline, indices: Iterable[int]
) -> Iterator[tuple[int, VideoFrame | str]]:
    """The wanted frames in ascending order, each as (index, frame), or (index, reason) where it cannot be decoded.

    Decodes forward and seeks only where that skips frames; one decoded frame is held at a time.
    """
    import av

    wanted = sorted(set(indices))
    index_of = None if timeline.pts is None else {int(p): i for i, p in enumerate(timeline.pts)}
    with open_video(path, name) as (container, stream):
        needed = None if timeline.pts is None else {int(timeline.pts[i]) for i in wanted}
        source = _indexed(_decode_on(container, stream, needed), index_of)
        at, frame, damaged = _NOTHING_YET
        for done, target in enumerate(wanted):
            since = timeline.seek_point(at, target)
            if since is not None:
                pts, dts = since
                try:
                    container.seek(dts, stream=stream)
                    source = _indexed(_decode_on(container, stream, needed, since=pts), index_of)
                    at, frame, damaged = next(source, _EXHAUSTED)
                except av.FFmpegError:
                    at = _EXHAUSTED[0]
                if at > target:  # landed too late, or the frame is missing: decoding from the start tells
                    yield from decode_frames(path, name, timeline.without_keys(), wanted[done:])
                    return
            while at < target:
                at, frame, damaged = next(source, _EXHAUSTED)
            if at > target or frame is None:
                yield target, "no picture can be decoded at this time"
            elif damaged:
                yield target, "the video is damaged here"
            else:
                yield target, frame


_NOTHING_YET = (-1, None, False)
_EXHAUSTED = (2**62, None, False)


def _indexed(
    decoded: Iterator[tuple[VideoFrame, bool]], index_of: dict[int, int] | None
) -> Iterator[tuple[int, VideoFrame | None, bool]]:
    """Give decoded frames their place in the timeline; those without one (hidden by an edit list) are dropped."""
    for count, (frame, damaged) in enumerate(decoded):
        index = count if index_of is None else index_of.get(-1 if frame.pts is None else frame.pts)
        if index is not None:
            yield index, frame, damaged


def _decode_on(
    container: InputContainer, stream: VideoStream, needed: set[int] | None = None, since: int | None = None
) -> Iterator[tuple[VideoFrame, bool]]:
    """Frames from the current position on, and whether each may be damaged: from an error up to the next key frame.

    Frames before the timestamp ``since`` are dropped: after a seek they may lack what they were predicted from. Those
    not ``needed`` may be left out, which H.264 does twice as fast where no other frame is predicted from them.
    """
    import av

    damaged = False
    if stream.codec_context.name != "h264":
        needed = None
    packets = _packets(container, stream)
    while True:
        try:
            packet = next(packets, None)
        except av.FFmpegError:  # the file is cut short here
            packet = None
        if needed is not None and packet is not None:
            stream.codec_context.skip_frame = "DEFAULT" if packet.pts in needed else "NONREF"
        try:
            frames = stream.codec_context.decode(None) if packet is None else packet.decode()
        except av.EOFError:  # already drained at the regular end
            return
        except av.FFmpegError:
            damaged = True
            frames = []
        for frame in frames:
            if since is not None and frame.pts is not None and frame.pts < since:
                continue
            damaged = frame.is_corrupt or (damaged and not frame.key_frame)
            yield frame, damaged
        if packet is None:
            return


def picture(frame: VideoFrame, pixel_aspect: float = 1.0, longest_side: int | None = None) -> UInt8:
    """(h, w, 3) uint8 RGB as a player shows it: square pixels, alpha on white, turned as the file says.

    Without ``longest_side`` the conversion is exact to the bit on every machine; with it, a quick small version.
    """
    from av.video.reformatter import Interpolation

    width, height = frame.width, frame.height
    if pixel_aspect > 1:
        width = round(width * pixel_aspect)
    elif pixel_aspect < 1:
        height = round(height / pixel_aspect)
    if longest_side is None:
        method = (
            Interpolation.BILINEAR | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT | Interpolation.BITEXACT
        )
    else:
        width, height = size_within(width, height, longest_side)
        method = Interpolation.AREA
    alpha = any(component.is_alpha for component in frame.format.components)
    layout = "rgba" if alpha else "rgb24"
    pixels = np.asarray(frame.to_ndarray(format=layout, width=width, height=height, interpolation=method), np.uint8)
    if alpha:
        weight = pixels[:, :, 3:].astype(np.uint16)
        pixels = ((pixels[:, :, :3] * weight + 255 * (255 - weight) + 127) // 255).astype(np.uint8)
    return np.ascontiguousarray(_displayed(pixels, _display_matrix(frame)))


def _display_matrix(frame: VideoFrame) -> tuple[int, int, int, int]:
    """(a, b, c, d) of the display transform x' = a x + c y, y' = b x + d y, rounded to quarter turns and mirrors."""
    data = cast("Mapping[str, bytes]", frame.side_data).get("DISPLAYMATRIX")  # its stub names other keys
    if data is None:
        return 1, 0, 0, 1
    m = np.frombuffer(bytes(data), np.int32).reshape(3, 3)[:2, :2] / 65536.0
    if max(abs(m[0, 0]), abs(m[1, 1])) >= max(abs(m[0, 1]), abs(m[1, 0])):
        return (-1 if m[0, 0] < 0 else 1), 0, 0, (-1 if m[1, 1] < 0 else 1)
    return 0, (-1 if m[0, 1] < 0 else 1), (-1 if m[1, 0] < 0 else 1), 0


def _displayed(pixels: UInt8, matrix: tuple[int, int, int, int]) -> UInt8:
    a, b, c, d = matrix
    if a == 0:
        pixels = pixels.swapaxes(0, 1)
    if a + c < 0:
        pixels = pixels[:, ::-1]
    if b + d < 0:
        pixels = pixels[::-1]
    return pixels


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return printable(text.splitlines()[0]).lower()
