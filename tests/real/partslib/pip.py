# SPDX-License-Identifier: Apache-2.0
"""The machine's pip: its configuration, its default index and whole wheels through `pip download`.

All that is known about registries comes from here: a mirror, a proxy or a certificate that is set
up for pip is used, and no registry is named in this project.
"""

from __future__ import annotations

import ast
import functools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from .common import RETRY_SECONDS, Unavailable, say

_DEFAULT_INDEX = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
_DOWNLOAD_SECONDS = 3600


@functools.cache
def pip_python() -> str:
    """A Python that has pip: Debian's python3 comes without it."""
    for candidate in (sys.executable, shutil.which("python3"), shutil.which("python")):
        if candidate and _run([candidate, "-m", "pip", "--version"])[0] == 0:
            return candidate
    raise Unavailable("no pip here: no Python on PATH has the module")


@functools.cache
def settings() -> dict[str, str]:
    """pip's configuration as `pip download` sees it: environment, then its section, then global."""
    code, out, _ = _run([pip_python(), "-m", "pip", "config", "list"])
    found: dict[str, dict[str, str]] = {":env:": {}, "download": {}, "global": {}}
    for line in out.splitlines() if code == 0 else ():
        key, separator, value = line.partition("=")
        section, _, name = key.strip().partition(".")
        if separator and section in found:
            try:
                found[section][name] = str(ast.literal_eval(value.strip()))
            except (ValueError, SyntaxError):
                continue
    return {**found["global"], **found["download"], **found[":env:"]}


@functools.cache
def index_urls() -> tuple[str, ...]:
    configured = settings()
    if "no-index" in configured and configured["no-index"].lower() not in ("0", "false", "no"):
        raise Unavailable("pip is configured to use no index")
    main = configured.get("index-url")
    if not main:
        code, out, _ = _run([pip_python(), "-c", _DEFAULT_INDEX])
        main = out.strip() if code == 0 else ""
    extra = configured.get("extra-index-url", "").split()
    urls = tuple(url.rstrip("/") + "/" for url in (main, *extra) if url)
    if not urls:
        raise Unavailable("pip names no index")
    return urls


def platform_tags(platform: str) -> list[str]:
    """The tags of wheels that are taken, best first; nothing from here has to run everywhere."""
    if platform == "windows":
        return ["win_amd64"]
    machine = "aarch64" if platform == "linux-aarch64" else "x86_64"
    newest_first = [f"manylinux_2_{minor}_{machine}" for minor in range(39, 4, -1)]
    older = ["manylinux2014"] if machine == "aarch64" else ["manylinux2014", "manylinux2010", "manylinux1"]
    return [*newest_first, *(f"{name}_{machine}" for name in older)]


def download(package: str, version: str, platform: str, python: str, to: Path) -> Path:
    """Puts one wheel in an empty folder; pip checks it against the index's hash."""
    command = [pip_python(), "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    # pip's own cache would keep a second copy of gigabytes.
    command += ["--no-cache-dir", "--quiet", "--retries=1", f"--dest={to}"]
    command += [f"--python-version={python}", "--implementation=cp"]
    for tag in platform_tags(platform):
        command.append(f"--platform={tag}")
    command.append(f"{package}=={version}")
    reason = ""
    for pause in (*RETRY_SECONDS, None):
        code, _, err = _run(command, _DOWNLOAD_SECONDS)
        wheels = list(to.glob("*.whl"))
        if code == 0 and len(wheels) == 1:
            return wheels[0]
        reason = _reason(err)
        # With other versions listed the index was reached, so asking again changes nothing.
        if "(from versions: " in err and "(from versions: none)" not in err:
            break
        if pause is not None:
            say(f"{package} {version}: {reason}; trying again in {pause:.0f} s")
            time.sleep(pause)
    raise Unavailable(f"{package} {version} ({platform}): {reason}")


def _reason(err: str) -> str:
    if "(from versions: none)" in err:
        return "pip finds it nowhere: no index could be reached, or none has it any more"
    lines = [line.strip() for line in err.splitlines() if line.startswith("ERROR:")]
    text = lines[-1] if lines else (err.strip().splitlines() or ["pip download failed"])[-1]
    text = text.replace("ERROR: ", "", 1)
    return text if len(text) <= 200 else text[:200] + "..."


def _run(command: list[str], seconds: int = 120) -> tuple[int, str, str]:
    # No question may wait for an answer in a test, and colours have no place in a parsed text.
    env = {**os.environ, "PIP_NO_INPUT": "1", "PIP_NO_COLOR": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=env, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, "", f"ERROR: {error}"
    return done.returncode, done.stdout, done.stderr
