# SPDX-License-Identifier: Apache-2.0
"""Wheels: fetched whole or only the members that a recipe names, kept in the cache, unpacked."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from . import pip
from .common import (
    PartsError,
    Selection,
    Unavailable,
    cache_folder,
    keeps_downloads,
    locked,
    say,
    scratch,
    sha256_of,
)
from .hollow import Range, kept_ranges
from .index import NoRanges, RangeFile, find_wheel
from .recipes import WheelPart

# Lists the members of which a thin wheel holds only some ranges, one after the other: name -> size and
# ranges.
_PARTIAL = ".parts-partial.json"
_ABOUT = "about.json"


@dataclass(frozen=True)
class Stored:
    path: Path
    about: dict[str, Any]


def lay_wheel(part: WheelPart, root: Path) -> dict[str, Any]:
    """Unpacks a wheel as pip would into a site-packages folder; returns what parts.json says."""
    with _at_hand(part) as stored:
        source: dict[str, Any] = {
            "kind": "wheel",
            "package": part.package,
            "version": part.version,
            "platform": part.platform,
            "file": stored.about["wheel"],
        }
        if stored.about.get("sha256"):
            source["sha256"] = stored.about["sha256"]
        source["partial"] = _unpack(part, stored.path, root)
    return source


def hollow_wheel(package: str, version: str, python: str, to: Path) -> Path:
    """A wheel file in TO that pip and uv install, whose large members hold zeros after their beginning."""
    part = WheelPart(package, version, Selection(drop=_USELESS), python=python, whole_below=4 << 20, head=1 << 16, tail=0, whole_programs=True)
    with _at_hand(part) as stored, zipfile.ZipFile(stored.path) as thin:
        name = stored.about["wheel"]
        known = json.loads(thin.read(_PARTIAL)) if _PARTIAL in thin.namelist() else {}
        with zipfile.ZipFile(to / name, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
            for member in thin.infolist():
                if member.filename == _PARTIAL or member.is_dir():
                    continue
                copy = zipfile.ZipInfo(member.filename, member.date_time)
                copy.external_attr, copy.compress_type = member.external_attr, zipfile.ZIP_DEFLATED
                kept = known.get(member.filename)
                with thin.open(member) as source, wheel.open(copy, "w", force_zip64=True) as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)
                    _write_zeros(sink, kept["size"] - sum(length for _, length in kept["ranges"]) if kept else 0)
    return to / name


# What no check reads: thousands of small files. Headers of CUDA packages are read.
_USELESS = ("torch/include/*", "tensorflow/include/*", "*.pyi", "*/tests/*", "*/testing/*")


def _write_zeros(sink: IO[bytes], count: int) -> None:
    block = bytes(1 << 20)
    while count > 0:
        sink.write(block[:count])
        count -= len(block)


@contextlib.contextmanager
def _at_hand(part: WheelPart) -> Iterator[Stored]:
    if part.file:
        yield _local(part.file)
    elif keeps_downloads():
        yield _stored(part, cache_folder() / "wheels")
    else:
        with scratch(cache_folder(), f".wheel-{os.getpid()}-") as once:
            yield _stored(part, once)


def _local(path: Path) -> Stored:
    if not path.is_file():
        raise PartsError(f"no wheel {path}")
    return Stored(path, {"wheel": path.name, "sha256": sha256_of(path)})


def _stored(part: WheelPart, wheels: Path) -> Stored:
    whole_key = f"{part.package}-{part.version}-{part.platform}-py{part.python}"
    if not part.thin:
        with locked(wheels / f".{whole_key}.lock"):
            return _kept(wheels / whole_key) or _fetch_whole(part, wheels / whole_key)
    choice = [part.selection.__dict__, part.whole_below, part.head, part.tail]
    if part.whole_below is not None or part.hollow_from is not None:
        choice += [part.hollow_from, _PARTIAL]
    if part.whole_programs:
        choice.append("programs")
    digest = hashlib.sha256(json.dumps(choice, sort_keys=True).encode()).hexdigest()[:12]
    thin_key = f"{whole_key}-thin-{digest}"
    with locked(wheels / f".{thin_key}.lock"):
        kept = _kept(wheels / thin_key)
        if kept:
            return kept
        whole = _kept(wheels / whole_key)
        if whole is None:
            try:
                return _fetch_thin(part, wheels / thin_key)
            except NoRanges:
                say(f"{part.package} {part.version}: no ranges here, fetching the whole wheel")
    with locked(wheels / f".{whole_key}.lock"):
        return _kept(wheels / whole_key) or _fetch_whole(part, wheels / whole_key)


def _kept(folder: Path) -> Stored | None:
    """A finished download; a damaged one is dropped, so that it is fetched again."""
    try:
        about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        path = folder / about["file"]
        if sha256_of(path) == about["file_sha256"]:
            return Stored(path, about)
        say(f"{path.name} in the cache is damaged")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError) as error:
        say(f"{folder.name} in the cache is unreadable: {error}")
    shutil.rmtree(folder, ignore_errors=True)
    return None


def _keep(made: Path, path: Path, about: dict[str, Any], folder: Path) -> Stored:
    about = {**about, "file": path.name, "file_sha256": sha256_of(path)}
    (made / _ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(made, folder)
    return Stored(folder / path.name, about)


def _fetch_whole(part: WheelPart, folder: Path) -> Stored:
    say(f"fetching {part.package} {part.version} ({part.platform})")
    with scratch(folder.parent, f".{folder.name}.fetch-") as work:
        made = work / "made"
        made.mkdir()
        path = pip.download(part.package, part.version, part.platform, part.python, made)
        return _keep(made, path, {"wheel": path.name, "sha256": sha256_of(path)}, folder)


def _fetch_thin(part: WheelPart, folder: Path) -> Stored:
    remote = find_wheel(part.package, part.version, part.platform, part.python)
    say(f"fetching members of {remote.filename}")
    with scratch(folder.parent, f".{folder.name}.fetch-") as work:
        made = work / "made"
        made.mkdir()
        path = made / f"{remote.filename}.thin"
        with RangeFile(remote.url, remote.filename) as file:
            try:
                _copy_members(part, cast("IO[bytes]", file), path)
            except zipfile.BadZipFile as error:
                raise Unavailable(f"{remote.filename}: {error}") from error
            about = {"wheel": remote.filename, "sha256": remote.sha256, "fetched": file.fetched}
        return _keep(made, path, about, folder)


def _copy_members(part: WheelPart, file: IO[bytes], to: Path) -> None:
    partial: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(file) as wheel, zipfile.ZipFile(to, "w", allowZip64=True) as thin:
        # In the order of the file, so that one request can be read on.
        for member in sorted(wheel.infolist(), key=lambda entry: entry.header_offset):
            if member.is_dir() or _place(part, member.filename) is None:
                continue
            copy = zipfile.ZipInfo(member.filename, member.date_time)
            copy.external_attr = member.external_attr
            copy.compress_type = zipfile.ZIP_DEFLATED
            with _taken(part, wheel, member) as taken:
                with thin.open(copy, "w", force_zip64=True) as sink:
                    taken.write(sink)
                if taken.ranges is not None:
                    partial[member.filename] = {"size": member.file_size, "ranges": taken.ranges}
        thin.writestr(_PARTIAL, json.dumps(partial))


@dataclass(frozen=True)
class _Taken:
    """What is taken of a member: all of it, or the ranges, which then follow one another."""

    source: IO[bytes]
    ranges: list[Range] | None = None
    seekable: bool = False

    def write(self, sink: IO[bytes]) -> None:
        if self.ranges is None or not self.seekable:
            shutil.copyfileobj(self.source, sink, 1 << 20)
            return
        for offset, length in self.ranges:
            self.source.seek(offset)
            _copy(self.source, sink, length)


@contextlib.contextmanager
def _taken(part: WheelPart, wheel: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[_Taken]:
    size = member.file_size
    with wheel.open(member) as source:
        if part.hollow_from is not None and size >= part.hollow_from and _is_library(member):
            # Where the sections lie stands at the end of a library.
            with _staging() as staged:
                shutil.copyfileobj(source, staged, 1 << 20)
                ranges = kept_ranges(cast("BinaryIO", staged), size)
                staged.seek(0)
                yield _Taken(staged, ranges, True)
        elif _is_whole(part, size) or (part.whole_programs and "/bin/" in member.filename):
            yield _Taken(source)
        else:
            with tempfile.SpooledTemporaryFile(1 << 24) as ends:
                head, tail = _both_ends(part, source)
                ends.write(head + tail)
                ends.seek(0)
                yield _Taken(ends, [(0, len(head)), (size - len(tail), len(tail))])


def _staging() -> IO[bytes]:
    """On the cache's disk: /tmp may be held in memory."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    return cast("IO[bytes]", tempfile.TemporaryFile(dir=cache_folder()))


def _is_library(member: zipfile.ZipInfo) -> bool:
    name = PurePosixPath(member.filename).name
    return ".so" in name or name.endswith((".dll", ".pyd"))


def _copy(source: IO[bytes], sink: IO[bytes], length: int) -> None:
    while length:
        block = source.read(min(length, 1 << 20))
        if not block:
            raise Unavailable("a wheel ended early")
        sink.write(block)
        length -= len(block)


def _both_ends(part: WheelPart, source: IO[bytes]) -> tuple[bytes, bytes]:
    """The true first and last bytes. A deflated member's end costs reading it all, once."""
    head = source.read(part.head) if part.head else b""
    tail = b""
    while part.tail:
        block = source.read(4 << 20)
        if not block:
            break
        tail = (tail + block)[-part.tail :]
    return head, tail


def _is_whole(part: WheelPart, size: int) -> bool:
    return part.whole_below is None or size < part.whole_below or size <= part.head + part.tail


def _place(part: WheelPart, name: str) -> PurePosixPath | None:
    """Where pip puts a member, then where the recipe wants it."""
    pieces = PurePosixPath(name).parts
    if len(pieces) > 2 and pieces[0].endswith(".data"):
        schemes = {"purelib": "", "platlib": "", "data": "", "scripts": "bin", "headers": "include"}
        name = str(PurePosixPath(schemes.get(pieces[1], ""), *pieces[2:]))
    return part.selection.place(name)


def _unpack(part: WheelPart, path: Path, root: Path) -> list[dict[str, Any]]:
    """Lays the members; those that are not taken whole are sparse files and listed."""
    partial: list[dict[str, Any]] = []
    with zipfile.ZipFile(path) as wheel:
        known = json.loads(wheel.read(_PARTIAL)) if _PARTIAL in wheel.namelist() else {}
        for member in wheel.infolist():
            place = _place(part, member.filename) if member.filename != _PARTIAL else None
            if member.is_dir() or place is None:
                continue
            target = root / place
            target.parent.mkdir(parents=True, exist_ok=True)
            # Two wheels may bring the same file (nvidia/__init__.py); as with pip the later wins.
            target.unlink(missing_ok=True)
            kept = known.get(member.filename)
            if kept:
                with wheel.open(member) as source:
                    _write_sparse(source, target, kept["size"], kept["ranges"])
            else:
                kept = _lay_member(part, wheel, member, target)
            if kept:
                partial.append({"path": str(place), **kept})
            executable = (member.external_attr >> 16) & 0o111 if _is_regular(member) else 0
            target.chmod(0o755 if executable else 0o644)
            if place.name == "METADATA" and place.parent.name.endswith(".dist-info"):
                (target.parent / "INSTALLER").write_text("pip\n", encoding="ascii")
    return partial


def _lay_member(
    part: WheelPart, wheel: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path
) -> dict[str, Any] | None:
    """From a whole wheel; returns what is true of a file that is not whole."""
    with _taken(part, wheel, member) as taken:
        if taken.ranges is None:
            with open(target, "wb") as sink:
                taken.write(sink)
            return None
        with _staging() as packed:
            taken.write(packed)
            packed.seek(0)
            _write_sparse(packed, target, member.file_size, taken.ranges)
        return {"size": member.file_size, "ranges": taken.ranges}


def _write_sparse(source: IO[bytes], target: Path, size: int, ranges: list[Range]) -> None:
    with open(target, "wb") as sink:
        sink.truncate(size)
        for offset, length in ranges:
            sink.seek(offset)
            _copy(source, sink, length)


def _is_regular(member: zipfile.ZipInfo) -> bool:
    mode = member.external_attr >> 16
    return mode != 0 and stat.S_ISREG(mode)
