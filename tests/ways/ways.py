# Builds the wheel from the finished program, and runs tools of the tests' environment on it.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(os.environ["WAYS_TOOLS"])
WORK = Path(os.environ["WAYS_WORK"])
PARTS = Path(os.environ["PTXGUARD_PARTS"])
DIST = WORK / "dist"


def run(*command: object, code: int = 0, **options) -> str:
    """stdout and stderr of a command that must end with this exit code."""
    options.setdefault("env", environment())
    options.setdefault("timeout", 280)
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == code, f"{command}: exit code {done.returncode}, expected {code}\n{done.stdout}"
    return done.stdout


def environment(**more: str) -> dict:
    """No CUDA and no Python of this machine; the tools first on PATH."""
    keep = {k: v for k, v in os.environ.items()
            if k in ("HOME", "LANG", "TMPDIR", "SSL_CERT_FILE") or k.startswith(("PIP_", "UV_", "http", "HTTP"))}
    return {**keep, "PATH": f"{TOOLS}/bin:/usr/bin:/bin", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "XDG_CACHE_HOME": str(WORK / "cache"), **more}


def wheel() -> Path:
    return next(DIST.glob("ptxguard-*.whl"))


def build() -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    plain = WORK / "plain"
    run(TOOLS / "bin/pip", "wheel", ROOT, "--no-deps", "--no-build-isolation", "--wheel-dir", plain,
        "--config-settings", f"cmake.define.PTXGUARD_PROGRAM={os.environ['PTXGUARD_WHEEL_PROGRAM']}",
        env=environment(PATH=f"{TOOLS}/bin:{Path(os.environ['PTXGUARD_CMAKE']).parent}:/usr/bin:/bin"))
    run(TOOLS / "bin/auditwheel", "repair", "--wheel-dir", DIST, next(plain.glob("*.whl")))


if __name__ == "__main__":
    build()
