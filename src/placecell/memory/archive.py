"""A set of named byte strings as one uncompressed zip file or as a folder: written atomically, read memory-mapped.

Knows nothing of memories. What is read is untrusted: names, sizes and offsets are checked before any byte is used, and
the sha256 of every member is the caller's to compare.
"""

from __future__ import annotations

import mmap
import os
import re
import secrets
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from placecell.errors import UserError

_NAME = re.compile(r"[a-z0-9_]+(?:/[a-z0-9_]+)*\.[a-z]{1,12}")
_ALIGNMENT = 64
_PADDING_FIELD = 0xD935  # the extra field that Android's zipalign uses for the same purpose
_MAX_MEMBERS = 100_000
_EPOCH = (1980, 1, 1, 0, 0, 0)  # zip's zero: equal content gives equal files


def write_zip(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write ``path`` completely or not at all: a temporary file beside it is flushed to disk, then takes its place."""
    temporary = _temporary(path)
    try:
        with temporary.open("xb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
                for name, data in members:
                    archive.writestr(_aligned(name, file.tell()), data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_folder(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """As `write_zip`, as a folder; ``path`` must not exist, because no file system can exchange folders safely."""
    temporary = _temporary(path)
    try:
        temporary.mkdir()
        folders = {temporary}
        for name, data in members:
            target = temporary / name
            target.parent.mkdir(parents=True, exist_ok=True)
            folders.add(target.parent)
            with target.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for folder in folders:
            _sync_folder(folder)
        temporary.rename(path)
        _sync_folder(path.parent)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def read(path: Path, checked: str = "") -> dict[str, memoryview]:
    """All members as views of memory maps. UserError for anything that was not written by this module.

    ``checked``: a member that no digest of the caller covers; in a zip its checksum is compared.
    """
    try:
        return _read_folder(path) if path.is_dir() else _read_zip(path, checked)
    except (zipfile.BadZipFile, NotImplementedError, struct.error, EOFError) as error:
        raise UserError(f"{path} is no memory, or it is damaged ({error})", hint="build it again") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error})") from None


def _read_folder(path: Path) -> dict[str, memoryview]:
    members = {}
    for file in _files(path):
        name = file.relative_to(path).as_posix()
        _check_name(path, name)
        members[name] = _map(file)
        if len(members) > _MAX_MEMBERS:
            raise UserError(f"{path} has more than {_MAX_MEMBERS} files, it is no memory")
    return members


def _files(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink():
            raise UserError(f"{entry} is a link, which a memory has not")
        if entry.is_dir():
            yield from _files(entry)
        else:
            yield entry


def _read_zip(path: Path, checked: str) -> dict[str, memoryview]:
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    if len(entries) > _MAX_MEMBERS:
        raise UserError(f"{path} has more than {_MAX_MEMBERS} members, it is no memory")
    data = _map(path)
    members: dict[str, memoryview] = {}
    for entry in entries:
        _check_name(path, entry.filename)
        if entry.filename in members:
            raise UserError(f"{path} holds {entry.filename} twice, it is no memory")
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
            raise UserError(f"{entry.filename} in {path} is compressed or encrypted, memories store it plainly")
        start = _data_start(data, entry)
        if entry.compress_size != entry.file_size or start + entry.file_size > len(data):
            raise UserError(f"{entry.filename} in {path} reaches beyond the file, it is damaged", hint="build it again")
        members[entry.filename] = data[start : start + entry.file_size]
        if entry.filename == checked and zlib.crc32(members[checked]) != entry.CRC:
            raise UserError(f"{path} is damaged: {checked} is not what was saved", hint="build it again")
    return members


def _data_start(data: memoryview, entry: zipfile.ZipInfo) -> int:
    """Where a member's bytes begin: after its local header, whose name and extra field have their own lengths."""
    header = data[entry.header_offset : entry.header_offset + 30]
    signature, name_length, extra_length = struct.unpack("<4s22xHH", header)
    name = bytes(data[entry.header_offset + 30 : entry.header_offset + 30 + name_length])
    if signature != b"PK\x03\x04" or name != entry.filename.encode():
        raise zipfile.BadZipFile(f"the header of {entry.filename} is damaged")
    return entry.header_offset + 30 + int(name_length) + int(extra_length)


def _check_name(path: Path, name: str) -> None:
    if len(name) > 200 or not _NAME.fullmatch(name):
        raise UserError(f"{path} holds {name[:80]!r}, which no memory does")


def _map(path: Path) -> memoryview:
    if path.stat().st_size == 0:
        return memoryview(b"")
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _aligned(name: str, offset: int) -> zipfile.ZipInfo:
    """The entry of a member whose bytes shall begin at a multiple of 64, for arrays that are used in place."""
    info = zipfile.ZipInfo(name, _EPOCH)
    info.create_system = 3
    info.external_attr = 0o644 << 16
    padding = -(offset + 30 + len(name.encode()) + 4) % _ALIGNMENT
    info.extra = struct.pack("<HH", _PADDING_FIELD, padding) + bytes(padding)
    return info


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
