#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds the architectures of a package's device code to its releases in tools/ptxguard/facts/frameworks/PACKAGE.json.

    device_code.py --ptxguard EXE [--facts DIR] PACKAGE...

The wheel for Linux on x86-64 of each release that has a build without "archs" is downloaded and read by `ptxguard inspect`. An
architecture counts if most libraries that hold the most common one hold it too. Exit status: 0 written, 1 a wheel could not be
read (its release is left as it is), 2 wrong usage.
"""
from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS = "device code in the wheels for Linux x86_64 on PyPI, read with ptxguard inspect: the architectures that at least 60 % as " \
        "many of its fatbins hold as hold the most common one"
SHARE = 0.6


def wheel(package: str, version: str, to: Path) -> Path:
    for python in ("3.11", "3.12", "3.10", "3.9", "3.8", "3.7"):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version", python,
                   "--dest", str(to), f"{package}=={version}"]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return next(to.iterdir())
    raise FileNotFoundError(f"{package} {version}: no wheel")


def architectures(ptxguard: str, file: Path) -> list[str]:
    done = subprocess.run([ptxguard, "inspect", "--format", "json", str(file)], capture_output=True, text=True, check=False)
    rows = json.loads(done.stdout)["files"][0]["summary"]
    most = max((row["fatbins"] for row in rows), default=0)
    names = {row["arch"].replace("sm_", "compute_") if row["kind"] == "ptx" else row["arch"] for row in rows if row["fatbins"] >= SHARE * most}
    return sorted(names, key=lambda name: (name.startswith("compute"), int(re.sub(r"\D", "", name)), name))


def with_architectures(text: str, version: str, names: list[str]) -> str:
    """Only that row changes: the files are written by hand."""
    row = re.compile(r'("version": "' + re.escape(version) + r'",(?:(?!"version").)*?"linux": \{ "cuda": "[^"]*")((?:, "cudnn": "[^"]*")?), "source": "([^"]*)" \}', re.S)
    listed = ", ".join(json.dumps(name) for name in names)
    new = row.sub(lambda m: f'{m[1]}{m[2]}, "archs": [{listed}], "source": ["{m[3]}", "m-code"] }}', text, count=1)
    if new == text:
        raise ValueError(f"{version}: no row of the expected form")
    return new


def main() -> int:
    parser = argparse.ArgumentParser(description="adds the architectures of device code to the tables of frameworks")
    parser.add_argument("packages", nargs="+", metavar="PACKAGE")
    parser.add_argument("--ptxguard", required=True)
    parser.add_argument("--facts", type=Path, default=ROOT / "tools/ptxguard/facts")
    options = parser.parse_args()
    failed = 0
    for package in options.packages:
        path = options.facts / "frameworks" / f"{package}.json"
        text = path.read_text(encoding="utf-8")
        for release in json.loads(text)["releases"]:
            build = release.get("builds", {}).get("linux", {})
            if "cuda" not in build or "archs" in build:
                continue
            try:
                with tempfile.TemporaryDirectory(prefix="device-code-") as folder:
                    names = architectures(options.ptxguard, wheel(package, release["version"], Path(folder)))
                text = with_architectures(text, release["version"], names)
                print(package, release["version"], *names, flush=True)
            except (OSError, ValueError, LookupError) as error:
                failed += 1
                print(f"{package} {release['version']}: {error}", file=sys.stderr)
        if '"m-code"' in text and '"id": "m-code"' not in text:
            source = json.dumps({"id": "m-code", "kind": "measured", "what": WORDS})
            text = re.sub(r'("sources": \[\n)', lambda m: f"{m[1]}    {{ {source[1:-1]} }},\n", text, count=1)
        path.write_text(text, encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
