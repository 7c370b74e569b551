from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from placecell.errors import UserError
from placecell.media.frames import MediaFrame
from placecell.media.sources import Skipped
from placecell.media.video import iter_frames, probe, sample_video


@pytest.mark.parametrize(
    ("name", "codec", "options"),
    [
        ("a.mp4", "libx264", {"bf": "3", "g": "8"}),
        ("a.mkv", "libx264", {"bf": "2", "g": "250"}),
        ("a.ts", "libx264", {"bf": "3", "g": "10"}),
        ("a.avi", "mpeg4", {"bf": "2", "qmin": "1", "qmax": "2"}),
        ("a.webm", "libvpx-vp9", {"lag-in-frames": "16"}),
        ("a.mov", "mpeg4", {"bf": "1", "g": "6", "qmin": "1", "qmax": "2"}),
        ("a.mpg", "mpeg2video", {"bf": "2", "g": "12", "qmin": "1", "qmax": "2"}),
    ],
)
def test_the_wanted_frame_is_the_one_that_comes_out_in_every_container(name, codec, options, film, shown):
    info = probe(film(name, 40, codec=codec, options=options, rate=25))
    assert info.frames == 40
    wanted = [0, 1, 7, 8, 17, 25, 26, 38, 39]
    frames = list(iter_frames(info, wanted))
    assert [f.video_frame for f in frames] == [i + 1 for i in wanted]
    assert shown(frames) == [f.video_frame for f in frames]
    assert [f.time_s for f in frames] == pytest.approx([i / 25 for i in wanted], abs=0.002 if name != "a.avi" else 0.05)


def test_frames_carry_time_number_name_and_a_digest_of_their_own(film):
    sample = sample_video(film(frames=30), frames=3)
    assert [(f.name, f.video_frame) for f in sample.frames] == [
        ("clip.mp4@0.400s", 5),
        ("clip.mp4@1.400s", 15),
        ("clip.mp4@2.400s", 25),
    ]
    assert len({f.digest for f in sample.frames}) == 3
    assert sample.frames[0].facts is None
    assert sample.info.timeline.end_s == pytest.approx(3.0)


def test_shrinking_changes_neither_digest_nor_original_size(film):
    path = film(frames=4)
    full, small = sample_video(path).frames, sample_video(path, longest_side=16).frames
    assert [f.digest for f in full] == [f.digest for f in small]
    assert {(f.original_size, f.width, f.height) for f in small} == {((64, 48), 16, 12)}


def test_times_of_a_variable_rate_are_the_true_ones(film, shown):
    times_ms = [0, 1000, 2000, 3000, *(4000 + 50 * i for i in range(20))]
    info = probe(film(frames=24, times_ms=times_ms, rate=20))
    assert info.timeline.times_s == pytest.approx(np.array(times_ms) / 1000, abs=1e-3)
    sample = sample_video(info.path, frames=12)
    assert len(sample.frames) == 12
    assert [f.time_s for f in sample.frames][:4] == pytest.approx([0, 1, 2, 3], abs=1e-3)
    assert shown(sample.frames) == [f.video_frame for f in sample.frames]


def test_sound_longer_than_the_picture_adds_no_frames(film):
    sample = sample_video(film(frames=30, audio_s=6.0), frames=12)
    assert sample.info.frames == 30
    times = [f.time_s for f in sample.frames]
    assert len(set(times)) == 12
    assert max(times) < 3.0


@pytest.mark.parametrize("frames", [1, 2, 9])
def test_asking_for_more_frames_than_there_are_gives_each_once_and_says_so(frames, film, shown):
    sample = sample_video(film(frames=frames), frames=16)
    assert shown(sample.frames) == list(range(1, frames + 1))
    assert f"asked for 16 frames, the video has {frames}: all are used" in sample.notes


def test_a_rate_is_taken_in_time_and_thinned_to_the_limit(film, shown):
    path = film(frames=30)
    assert shown(sample_video(path, fps=2).frames) == [1, 6, 11, 16, 21, 26]
    thinned = sample_video(path, fps=10, frames=5)
    assert len(thinned.frames) == 5
    assert any("thinned to 5" in note for note in thinned.notes)
    with pytest.raises(UserError, match="sharpest"):
        sample_video(path, fps=2, sampling="sharpest")
    with pytest.raises(UserError, match="0 frames"):
        sample_video(path, fps=2, frames=0)


@pytest.mark.parametrize("clockwise", [0, 90, 180, 270])
@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_a_rotation_tag_is_applied(name, clockwise, corners, film):
    stored = np.rot90(corners, clockwise // 90)  # what a camera held that way writes
    path = film(name, 3, pixels=np.ascontiguousarray(stored), rotation=-clockwise, codec="ffv1", pix_fmt="bgr0")
    sample = sample_video(path)
    assert (sample.info.width, sample.info.height) == (64, 48)
    for frame in sample.frames:
        assert np.abs(frame.rgb.astype(int) - corners).max() <= 1


def test_pixels_that_are_not_square_become_square(corners, film):
    path = film(frames=2, pixels=corners, aspect=Fraction(3, 2))
    sample = sample_video(path)
    assert sample.frames[0].original_size == (96, 48)
    assert sample.info.pixel_aspect == 1.5


def test_transparent_video_is_composited_on_white(tmp_path):
    from PIL import Image

    frames = [Image.new("RGBA", (8, 6), (200, 0, 0, 0)), Image.new("RGBA", (8, 6), (200, 0, 0, 255))]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:], duration=[300, 700], disposal=2)
    sample = sample_video(tmp_path / "a.gif")
    assert [f.rgb[0, 0].tolist() for f in sample.frames] == [[255, 255, 255], [200, 0, 0]]
    assert [f.time_s for f in sample.frames] == pytest.approx([0.0, 0.3])


@pytest.mark.parametrize(("pix_fmt", "codec"), [("yuv420p10le", "libx265"), ("yuv444p", "libx264"), ("gray", "ffv1")])
def test_unusual_pixel_formats_become_rgb(pix_fmt, codec, film, shown):
    sample = sample_video(film("a.mkv", 5, codec=codec, pix_fmt=pix_fmt, options={"x265-params": "log-level=none"}))
    assert shown(sample.frames) == [1, 2, 3, 4, 5]


def test_full_range_colours_are_not_stretched(film, shown):
    full = sample_video(film("a.avi", 5, codec="mjpeg", pix_fmt="yuvj420p"))
    assert shown(full.frames) == [1, 2, 3, 4, 5]


def test_what_is_no_video_is_refused_with_the_reason(film, tmp_path):
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "text.mp4").write_text("a text that ends in the wrong name\n" * 20)
    (tmp_path / "list.mp4").write_text("#EXTM3U\n#EXTINF:5,\nhttp://192.0.2.1/x.ts\n")
    (tmp_path / "folder.mp4").mkdir()
    whole = film("whole.mp4", 30).read_bytes()
    (tmp_path / "unfinished.mp4").write_bytes(whole[: len(whole) // 2])
    reasons = {
        "empty": "0 bytes",
        "text": "no video in a known format",
        "list": "no video in a known format",
        "folder": "is no file",
        "gone": "does not exist",
        "unfinished": "damaged or unfinished",
    }
    for name, reason in reasons.items():
        with pytest.raises(UserError, match=rf"^{name}\.mp4: .*{reason}"):
            sample_video(tmp_path / f"{name}.mp4")


def test_a_file_with_sound_only_is_refused(film, tmp_path):
    import av

    with av.open(str(tmp_path / "voice.m4a"), "w") as container:
        sound = container.add_stream("aac", rate=8000)
        samples = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        samples.sample_rate = 8000
        container.mux(sound.encode(samples))
        container.mux(sound.encode())
    with pytest.raises(UserError, match=r"voice\.m4a: has no video, only audio"):
        sample_video(tmp_path / "voice.m4a")


@pytest.mark.parametrize("name", ["cut.mp4", "cut.mkv"])
def test_a_recording_cut_short_gives_what_is_there_and_says_so(name, film, shown):
    first = {"movflags": "faststart"} if name == "cut.mp4" else {}
    path = film(name, 40, codec="mpeg4", options={"qmin": "1", "qmax": "2"}, container_options=first)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * 0.7)])
    sample = sample_video(path)
    assert 1 < len(sample.frames) < 40
    assert shown(sample.frames) == [f.video_frame for f in sample.frames]
    assert any("cut short" in note or "promises" in note for note in sample.notes)


def test_reading_is_lazy_and_leaves_no_file_open(film, shown):
    info = probe(film(frames=30))
    frames = iter_frames(info, range(30))
    assert shown([next(frames)]) == [1]
    frames.close()


@pytest.mark.parametrize("sampling", ["uniform", "coverage", "sharpest"])
def test_every_sampling_is_the_same_twice(sampling, film):
    path = film(frames=40)
    first, second = (sample_video(path, frames=5, sampling=sampling).frames for _ in range(2))
    assert len(first) == 5
    assert [f.video_frame for f in first] == [f.video_frame for f in second]
    assert [f.digest for f in first] == [f.digest for f in second]


REAL = {
    # frames shown (edit lists hide some of the stored ones), upright size, clockwise turn
    "great_wall.mp4": (288, (640, 360)),
    "pyramid.mp4": (883, (288, 360)),
    "newtonscradle.gif": (36, (200, 150)),
    "realshort.mp4": (36, (320, 240)),
    "room_slideshow_8frames_1fps.mp4": (8, (512, 384)),
    "teddy_portrait_1080x1920_10frames.mp4": (9, (1080, 1920)),
    "rotation/video_0.mov": (3, (568, 320)),
    "rotation/video_90.mov": (3, (320, 568)),
    "rotation/video_180.mov": (3, (568, 320)),
    "rotation/video_270.mov": (3, (320, 568)),
    "codecs/av1_video.mkv": (125, (640, 360)),
    "codecs/h265_10bits.mp4": (30, (200, 200)),
    "broken/no_duration.webm": (74, (1280, 720)),
    "broken/one_pixel.mp4": (5, (1, 1)),
    "broken/unordered_4frames_50x50.mov": (4, (50, 50)),
    "broken/corrupted.mp4": (50, (1280, 720)),
    "with_poses/redkitchen.mp4": (250, (640, 480)),
}


def test_all_real_videos_are_read_or_refused_with_a_reason(shared_data):
    videos = shared_data / "videos"
    files = sorted(p for p in videos.rglob("*.*") if p.suffix not in (".md", ".txt"))
    for path in files:
        name = path.relative_to(videos).as_posix()
        if name == "broken/zero_byte.webm":
            with pytest.raises(UserError, match=r"zero_byte\.webm: is empty"):
                sample_video(path)
            continue
        sample = sample_video(path, frames=4, longest_side=160)
        assert sample.frames, name
        if name in REAL:
            assert (sample.info.frames, sample.frames[0].original_size) == REAL[name], name
        if name != "broken/corrupted.mp4":
            assert len(sample.frames) == min(4, sample.info.frames), name
            assert sample.skipped == (), name


def test_damaged_stretches_of_a_real_video_are_left_out_by_time(shared_data):
    path = shared_data / "videos/broken/corrupted.mp4"
    sample = sample_video(path, frames=50, longest_side=64)
    assert {round(10 * f.time_s) for f in sample.frames} >= set(range(26))
    assert all(isinstance(s, Skipped) and "corrupted.mp4@" in s.name for s in sample.skipped)
    assert len(sample.frames) + len(sample.skipped) == 50
    assert max(f.time_s for f in sample.frames) < 3.0
    with pytest.raises(UserError, match="damaged"):
        sample_video(path, frames=50, longest_side=64, strict=True)


@pytest.mark.parametrize("name", ["great_wall.mp4", "codecs/h265_10bits.mp4"])
def test_frames_reached_by_seeking_equal_those_of_playing_through(name, shared_data):
    info = probe(shared_data / "videos" / name)
    played = {f.video_frame: f.digest for f in iter_frames(info, range(info.frames)) if isinstance(f, MediaFrame)}
    assert len(played) == info.frames
    sparse = [0, info.frames // 3, info.frames // 2, info.frames // 2 + 1, info.frames - 1]
    for index in sparse:
        (alone,) = iter_frames(info, [index])
        assert alone.digest == played[index + 1]


def test_no_path_is_too_odd(film, tmp_path):
    odd = tmp_path / "a:b%03d ünï #1.mp4"
    odd.write_bytes(film(frames=2).read_bytes())
    assert len(sample_video(Path(odd)).frames) == 2
