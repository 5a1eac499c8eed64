# SPDX-License-Identifier: Apache-2.0
"""Finished sets, kept between builds by the hash of their recipe: a build links to their files.

`sets/<digest>/made` in the cache is a set, `sets/<digest>.json` beside it what it holds. An entry that was changed since is
made again. The entries used longest ago go when all of them need more than $PTXGUARD_PARTS_LIMIT gigabytes (default 25).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from collections.abc import Callable, Iterator

from .common import cache_folder, locked, scratch, try_locked

_DEFAULT_LIMIT = 25.0


def store_folder() -> Path:
    return cache_folder() / "sets"


def take(digest: str, make: Callable[[Path], None], place: Path) -> None:
    """Links the set DIGEST into PLACE, a folder that does not exist yet; MAKE fills an empty folder if it is not kept."""
    store = store_folder()
    entry = store / digest
    with locked(store / f"{digest}.lock"):
        if not _is_whole(entry):
            drop(entry)
            with scratch(store, f".{digest}.work-") as work:
                made = work / "made"
                made.mkdir()
                make(made)
                listing, size = _listing(made)
                os.rename(work, entry)
                _record(entry).write_text(json.dumps({"listing": listing, "bytes": size}), encoding="utf-8")
        os.utime(_record(entry))
        _link_tree(entry / "made", place)
    prune()


def drop(entry: Path) -> None:
    """Removes an entry; the caller holds its lock."""
    _record(entry).unlink(missing_ok=True)
    shutil.rmtree(entry, ignore_errors=True)


def prune(limit: float | None = None) -> list[Path]:
    """Removes the entries used longest ago until the rest needs at most LIMIT gigabytes. Entries in use stay."""
    if limit is None:
        limit = float(os.environ.get("PTXGUARD_PARTS_LIMIT", _DEFAULT_LIMIT))
    entries = sorted(_entries(), reverse=True)
    total, removed = 0.0, []
    for _, size, entry in entries:
        total += size
        if total <= limit * 1e9:
            continue
        with try_locked(entry.with_suffix(".lock")) as held:
            if held:
                drop(entry)
                removed.append(entry)
    return removed


def _entries() -> Iterator[tuple[float, int, Path]]:
    """When each entry was last used, its size and its folder."""
    for record in store_folder().glob("*.json"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            yield record.stat().st_mtime, int(_read(record)["bytes"]), record.with_suffix("")


def _record(entry: Path) -> Path:
    return entry.with_suffix(".json")


def _read(record: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
    return content


def _is_whole(entry: Path) -> bool:
    """Whether the files are as they were when the set was made: a test may have written to one."""
    try:
        return bool(_read(_record(entry))["listing"] == _listing(entry / "made")[0])
    except (OSError, ValueError, KeyError):
        return False


def _listing(root: Path) -> tuple[str, int]:
    """A hash of all names, modes, sizes and times, and the bytes on the disk."""
    lines, total, seen = [], 0, set()
    for folder, names, files in os.walk(root):
        names.sort()
        for name in sorted(files + [name for name in names if os.path.islink(os.path.join(folder, name))]):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            lines.append(f"{os.path.relpath(path, root)} {status.st_mode:o} {status.st_size} {status.st_mtime_ns}")
            if status.st_ino not in seen:
                seen.add(status.st_ino)
                total += getattr(status, "st_blocks", status.st_size // 512) * 512
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest(), total


def _link_tree(source: Path, target: Path) -> None:
    """The same files under other names; on another disk, copies in which holes stay holes."""
    try:
        shutil.copytree(source, target, symlinks=True, copy_function=os.link)
    except shutil.Error:
        shutil.rmtree(target, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", "--sparse=always", "-T", str(source), str(target)], check=True)
