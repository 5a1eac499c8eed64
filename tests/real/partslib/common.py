# SPDX-License-Identifier: Apache-2.0
"""What all modules need: the two errors, the cache folder, locks, retries and path checks."""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import hashlib
import http.client
import os
import shutil
import sys
import tempfile
import time
import urllib.error
from pathlib import Path, PurePosixPath
from typing import Callable, TypeVar
from collections.abc import Iterable, Iterator

try:
    import fcntl
except ImportError:  # Windows: laying is still atomic there, two processes only do the work twice
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")

RETRY_SECONDS = (1.0, 3.0, 9.0)
NETWORK_ERRORS = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)


class PartsError(Exception):
    """A mistake in a recipe or in how the tool was called."""


class Unavailable(Exception):
    """The part can't be had here and now; a test that needs it is skipped with this reason."""

    def __init__(self, reason: str) -> None:
        self.reason = " ".join(reason.split())
        super().__init__(self.reason)


def cache_folder() -> Path:
    own = os.environ.get("PTXGUARD_PARTS_CACHE")
    if own:
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).absolute() / "ptxguard-parts"


def keeps_downloads() -> bool:
    """Where every set is laid once and the machine is thrown away, a second copy is only a full disk."""
    return os.environ.get("PTXGUARD_PARTS_DOWNLOADS", "keep") != "drop"


def say(text: str) -> None:
    """Progress goes to stderr: stdout carries the path of what was laid and nothing else."""
    print(f"parts: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock that the system drops when the process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b") as handle:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def try_locked(path: Path) -> Iterator[bool]:
    """As locked(), but says False at once where another process holds the lock."""
    with open(path, "a+b") as handle:
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


@contextlib.contextmanager
def scratch(parent: Path, prefix: str) -> Iterator[Path]:
    """A folder on the same file system as its destination, so that a rename moves it whole.

    The caller holds the lock that goes with the prefix: what is there already under this prefix
    was left by a killed process.
    """
    parent.mkdir(parents=True, exist_ok=True)
    for leftover in parent.glob(f"{glob.escape(prefix)}*") if fcntl is not None else ():
        shutil.rmtree(leftover, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    # mkdtemp's 0700 would stay on the laid folder and hide it from other users of a shared machine.
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def retry(what: str, action: Callable[[], T]) -> T:
    """Runs a download, again after a pause where the network failed; a plain "no" is final."""
    for pause in (*RETRY_SECONDS, None):
        try:
            return action()
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in (408, 425, 429):
                raise Unavailable(f"{what}: the server answers {error.code}") from error
            reason = f"the server answers {error.code}"
        except NETWORK_ERRORS as error:
            reason = str(getattr(error, "reason", None) or error) or type(error).__name__
        if pause is None:
            break
        say(f"{what}: {reason}; trying again in {pause:.0f} s")
        time.sleep(pause)
    raise Unavailable(f"{what}: {reason}")


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as handle:
        for block in iter(lambda: handle.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def safe_path(name: str) -> PurePosixPath:
    """A member's path, refused where it would leave the folder that it is laid in."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name:
        raise PartsError(f"member {name!r} would leave its folder")
    return path


def matches(name: str, globs: Iterable[str]) -> bool:
    """Here "*" crosses folders too, so "usr/include/*" takes the whole tree below it."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in globs)


class Selection:
    """Which members of a package are taken, and where each goes."""

    def __init__(
        self,
        pick: tuple[str, ...] = (),
        drop: tuple[str, ...] = (),
        source: str = "",
        into: str = "",
    ) -> None:
        self.pick, self.drop = pick, drop
        self.source, self.into = source.strip("/"), into.strip("/")

    def place(self, name: str) -> PurePosixPath | None:
        """The path that a member is laid at, or None where it isn't wanted."""
        path = safe_path(name)
        plain = str(path)
        if self.pick and not matches(plain, self.pick):
            return None
        if matches(plain, self.drop):
            return None
        if self.source:
            try:
                path = path.relative_to(self.source)
            except ValueError:
                return None
        return PurePosixPath(self.into) / path
