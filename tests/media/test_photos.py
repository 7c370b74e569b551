from __future__ import annotations

import builtins
import hashlib
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from placecell.errors import BackendUnavailable, UserError
from placecell.media import photos
from placecell.media.photos import oriented, read_photo

# EXIF 2.32, tag 274: which side of the upright picture the stored row 0 and the stored column 0 are.
SIDES = {
    1: ("top", "left"),
    2: ("top", "right"),
    3: ("bottom", "right"),
    4: ("bottom", "left"),
    5: ("left", "top"),
    6: ("right", "top"),
    7: ("right", "bottom"),
    8: ("left", "bottom"),
}


def stored(upright: np.ndarray, orientation: int) -> np.ndarray:
    """The pixels a camera writes with this orientation tag so that ``upright`` is what it saw."""
    row_side, column_side = SIDES[orientation]
    along_rows = upright if row_side in ("top", "bottom") else upright.swapaxes(0, 1)
    if row_side in ("bottom", "right"):
        along_rows = along_rows[::-1]
    return along_rows[:, ::-1] if column_side in ("bottom", "right") else along_rows


def tagged(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[274] = orientation
    return exif


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_turn_is_what_the_exif_standard_says(orientation):
    upright = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    assert np.array_equal(oriented(stored(upright, orientation), orientation), upright)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", ["png", "webp", "tif", "jpg", "avif", "heic"])
def test_every_orientation_ends_upright_in_every_format(suffix, orientation, corners, save):
    if suffix == "heic":
        pytest.importorskip("pillow_heif").register_heif_opener()
    lossless = {"webp": {"lossless": True}, "jpg": {"quality": 95}}.get(suffix, {})
    pixels = np.ascontiguousarray(stored(corners, orientation))
    path = save(f"a.{suffix}", pixels, exif=tagged(orientation).tobytes(), **lossless)
    frame = read_photo(path)
    assert frame.original_size == (64, 48)
    assert np.abs(frame.rgb.astype(int) - corners).mean() < (0.01 if suffix in ("png", "webp", "tif") else 5)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_the_stored_pixels_are_there_for_who_calibrated_on_them(suffix, orientation, corners, save):
    pixels = np.ascontiguousarray(stored(corners, orientation))
    frame = read_photo(save(f"a.{suffix}", pixels, exif=tagged(orientation)), upright=False)
    assert np.array_equal(frame.rgb, pixels)
    assert frame.facts.orientation == orientation


def test_an_orientation_in_a_png_after_its_pixels_counts(corners, save):
    path = save("a.png", np.ascontiguousarray(stored(corners, 6)), exif=tagged(6))
    data = path.read_bytes()
    start = data.index(b"eXIf") - 4
    end = start + 12 + struct.unpack(">I", data[start : start + 4])[0]
    iend = data.index(b"IEND") - 4
    path.write_bytes(data[:start] + data[end:iend] + data[start:end] + data[iend:])
    assert np.array_equal(read_photo(path).rgb, corners)


def test_an_orientation_that_does_not_exist_is_noted_and_taken_as_upright(corners, save):
    frame = read_photo(save("a.png", corners, exif=tagged(77)))
    assert np.array_equal(frame.rgb, corners)
    assert any("77" in note for note in frame.notes)


@pytest.mark.parametrize("orientation", [1, 6])
@pytest.mark.parametrize("size", [(64, 48), (63, 47)])
def test_shrinking_while_decoding_equals_shrinking_afterwards(size, orientation, save):
    blobs = np.random.default_rng(1).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    smooth = np.asarray(Image.fromarray(blobs).resize((size[0] * 8, size[1] * 8), Image.Resampling.BICUBIC))
    path = save("a.jpg", smooth, quality=95, exif=tagged(orientation))
    small, full = read_photo(path, longest_side=100), read_photo(path)
    assert small.original_size == full.original_size
    assert max(small.width, small.height) == 100
    again = np.asarray(Image.fromarray(full.rgb).resize((small.width, small.height), Image.Resampling.BOX))
    assert np.abs(small.rgb.astype(int) - again).mean() < 1.5


def test_the_digest_is_that_of_the_file(corners, save):
    path = save("a.png", corners)
    assert read_photo(path).digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_content_decides_not_the_extension(corners, save, tmp_path):
    (tmp_path / "fake.jpg").write_bytes(save("a.png", corners).read_bytes())
    assert read_photo(tmp_path / "fake.jpg").facts.format == "PNG"
    (tmp_path / "text.png").write_text("no picture at all")
    with pytest.raises(UserError, match=r"text\.png: is no photo"):
        read_photo(tmp_path / "text.png")


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "tif", "gif", "bmp", "ppm", "avif", "jp2"])
@pytest.mark.parametrize("kept", [0.6, 0.95])
def test_a_file_cut_short_is_refused_by_name(suffix, kept, save):
    pixels = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)
    path = save(f"cut.{suffix}", pixels)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(UserError, match=rf"cut\.{suffix}: ") as caught:
        read_photo(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_a_copy_whose_end_is_zeros_is_refused(suffix, save):
    pixels = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)
    path = save(f"zeros.{suffix}", pixels)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))
    with pytest.raises(UserError, match=r"damaged or incomplete|incomplete copy"):
        read_photo(path)


def test_a_phones_clip_appended_to_a_photo_does_no_harm(corners, save):
    path = save("motion.jpg", corners, quality=95)
    clip = np.random.default_rng(0).integers(0, 256, 300_000, dtype=np.uint8).tobytes()
    path.write_bytes(path.read_bytes() + b"\0" * 100 + clip)
    assert np.abs(read_photo(path).rgb.astype(int) - corners).mean() < 5


def test_what_is_no_file_is_refused_with_the_reason(tmp_path):
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "folder.jpg").mkdir()
    (tmp_path / "broken.jpg").symlink_to(tmp_path / "gone.jpg")
    for name, reason in {"empty": "0 bytes", "folder": "no file", "broken": "not exist", "none": "not exist"}.items():
        with pytest.raises(UserError, match=rf"{name}\.jpg: .*{reason}"):
            read_photo(tmp_path / f"{name}.jpg")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_refused(corners, save):
    path = save("secret.png", corners)
    path.chmod(0)
    with pytest.raises(UserError, match="permission denied"):
        read_photo(path)


def png_of_zeros(path: Path, side: int) -> Path:
    """A black 1-bit PNG of any size, in a few kilobytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(side // 8 + 1)) for _ in range(side)) + packer.flush()
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
    return path


@pytest.mark.parametrize("side", [10_400, 30_000])
def test_a_huge_picture_is_refused_before_decoding(side, tmp_path):
    with pytest.raises(UserError, match=r"bomb\.png: too large"):
        read_photo(png_of_zeros(tmp_path / "bomb.png", side))


def test_the_limit_is_the_environments(corners, save, monkeypatch):
    path = save("a.png", corners)
    monkeypatch.setenv("PLACECELL_MAX_PIXELS", "3071")
    with pytest.raises(UserError, match=r"64 x 48 .*PLACECELL_MAX_PIXELS=3072"):
        read_photo(path)
    monkeypatch.setenv("PLACECELL_MAX_PIXELS", "3072")
    assert read_photo(path).width == 64
    monkeypatch.setenv("PLACECELL_MAX_PIXELS", "lots")
    with pytest.raises(UserError, match="PLACECELL_MAX_PIXELS=lots"):
        read_photo(path)


def test_of_an_animation_the_first_picture_is_used_and_that_is_noted(corners, tmp_path):
    first, second = Image.fromarray(corners), Image.new("RGB", (64, 48), "black")
    for suffix in ("gif", "webp", "png"):
        path = tmp_path / f"moving.{suffix}"
        first.save(path, save_all=True, append_images=[second], lossless=True)
        frame = read_photo(path)
        assert np.abs(frame.rgb.astype(int) - corners).mean() < 2
        assert "holds 2 pictures, the first is used" in frame.notes


def test_a_raw_files_preview_is_not_taken_for_the_photo(corners, save):
    with pytest.raises(UserError, match="raw file"):
        read_photo(save("shot.tif", corners, tiffinfo={254: 1}))


def test_heic_without_its_extra_says_what_installs_it(corners, save, monkeypatch):
    pytest.importorskip("pillow_heif").register_heif_opener()
    path = save("phone.heic", corners)

    def without_heif(name, *args, _import=builtins.__import__, **kwargs):
        if name == "pillow_heif":
            raise ImportError(name)
        return _import(name, *args, **kwargs)

    photos._register_heif.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without_heif)
    with pytest.raises(BackendUnavailable, match=r"phone\.heic .*pip install 'placecell\[heif\]'"):
        read_photo(path)
    photos._register_heif.cache_clear()


def test_all_odd_pictures_decode_upright(shared_data):
    files = sorted((shared_data / "odd_images").glob("*/*"))
    frames = {path.name: read_photo(path) for path in files}
    assert len(frames) > 70
    for path, frame in zip(files, frames.values(), strict=True):
        assert frame.rgb.shape == (frame.height, frame.width, 3), path
    for shape in ("Landscape", "Portrait"):
        reference = frames[f"{shape}_1.jpg"].rgb.astype(int)
        for tag in range(2, 9):  # the same scene, with another digit written into the middle
            assert np.median(np.abs(frames[f"{shape}_{tag}.jpg"].rgb - reference)) <= 6, (shape, tag)
    hopper = frames["hopper.bmp"].rgb.astype(int)
    for tag in range(2, 9):
        assert np.abs(frames[f"hopper_orientation_{tag}.webp"].rgb - hopper).mean() < 8, tag
    for name in (
        "hopper.ppm",
        "hopper.tif",
        "hopper_float_dpi_None.tif",
        "hopper.Lab.tif",
        "hopper.gif",
        "hopper.avif",
    ):
        assert np.abs(frames[name].rgb - hopper).mean() < 8, name
    meadow = frames["rot0mir0.avif"].rgb.astype(int)
    for name in ("rot1mir0", "rot2mir1", "rot3mir0"):
        assert np.median(np.abs(frames[f"{name}.avif"].rgb - meadow)) <= 6, name
    assert frames["g4_orientation_6.tif"].original_size == (590, 88)
