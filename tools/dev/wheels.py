#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheels of every platform on one machine, and tries each program in an emulator.

    wheels.py --to DIST [PLATFORM...]      all of PLATFORMS without PLATFORM

For Linux the compiler is zig's C++ compiler (PyPI: ziglang), which links with the oldest glibc of the platform or with musl; for
Windows the program of the preset mingw is taken. Needs build/release/bin/ptxguard (the manual page and completions come from it)
and the packages ziglang, auditwheel, scikit-build-core, pip and wheel. A program that no emulator here can start (qemu-user for
aarch64, wine for Windows) is reported as not tried.
Exit status: 0 all built, 1 one failed.
"""
from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "build/release/bin/ptxguard"


@dataclass(frozen=True)
class Platform:
    tag: str
    target: str  # as zig names it; empty: the program of the preset mingw
    emulator: tuple[str, ...] = ()
    older: str = ""  # the tag's name for pip 19.3 to 20.2


PLATFORMS = (
    Platform("manylinux_2_17_x86_64", "x86_64-linux-gnu.2.17", older="manylinux2014_x86_64"),
    Platform("manylinux_2_17_aarch64", "aarch64-linux-gnu.2.17", ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
             older="manylinux2014_aarch64"),
    Platform("musllinux_1_1_x86_64", "x86_64-linux-musl"),
    Platform("musllinux_1_1_aarch64", "aarch64-linux-musl", ("qemu-aarch64",)),
    Platform("win_amd64", "", ("wine64",)),
)


class Failed(Exception):
    """A command that failed, with what it printed."""


def run(*command: object, **options: object) -> str:
    done = subprocess.run([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def build_program(platform: Platform, sources: list[str]) -> Path:
    if not platform.target:
        run("cmake", "--preset", "mingw", *sources)
        run("cmake", "--build", "--preset", "mingw", "--target", "ptxguard")
        return ROOT / "build/mingw/bin/ptxguard.exe"
    build = ROOT / "build/wheels" / platform.tag
    run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPTXGUARD_TESTS=OFF",
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/zig.cmake", f"-DPTXGUARD_ZIG_TARGET={platform.target}",
        f"-DPTXGUARD_ZIG_PYTHON={sys.executable}", "-DCMAKE_EXE_LINKER_FLAGS=-s", *sources)
    run("cmake", "--build", build, "--target", "ptxguard")
    return build / "bin/ptxguard"


def answers(command: list[str]) -> list[str]:
    """What the same questions give on each platform: versions, tables, a verdict."""
    questions = (["--version"], ["facts", "--format", "json"], ["explain", "222"],
                 ["plan", "--driver", "535.104.05", "--gpu", "A100", "--framework", "torch", "--python", "3.12", "--os", "linux"])
    return [run(*command, *question).replace("\r", "") for question in questions]


def try_program(platform: Platform, program: Path) -> str:
    emulator = list(platform.emulator)
    if emulator:
        found = shutil.which(emulator[0]) or shutil.which(emulator[0], path="/usr/lib/wine")  # where Debian has wine64
        if not found:
            return f"not tried: no {emulator[0]} here"
        emulator[0] = found
    expected = answers([str(NATIVE)])
    actual = answers([*emulator, str(program)])
    if actual != expected:
        raise Failed(f"{platform.tag}: {program} does not answer as {NATIVE} does")
    return "answers as the native program"


def pack(platform: Platform, program: Path, to: Path) -> Path:
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "--no-build-isolation", "--wheel-dir", folder,
            "--config-settings", f"cmake.define.PTXGUARD_PROGRAM={program}",
            "--config-settings", f"cmake.define.PTXGUARD_SBOM={program.parents[1]}/ptxguard.cdx.json",
            "--config-settings", f"cmake.define.PTXGUARD_NATIVE={NATIVE}")
        plain = next(Path(folder).glob("*.whl"))
        run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", ".".join(filter(None, (platform.older, platform.tag))), plain)
        wheel = next(Path(folder).glob("*.whl"))
        if platform.tag.startswith("manylinux"):
            shown = run(sys.executable, "-m", "auditwheel", "show", wheel)
            if f'"{platform.tag}"' not in shown:
                raise Failed(f"{wheel.name}: {shown}")
        to.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, to / wheel.name))


def main() -> int:
    names = [platform.tag for platform in PLATFORMS]
    parser = argparse.ArgumentParser(description="builds the wheels of every platform")
    parser.add_argument("--to", type=Path, default=ROOT / "build/dist", metavar="DIST")
    parser.add_argument("platform", nargs="*", metavar="PLATFORM", help=", ".join(names))
    options = parser.parse_args()
    unknown = set(options.platform) - set(names)
    if unknown:
        parser.error(f"no platform {', '.join(sorted(unknown))}; known: {', '.join(names)}")
    if not NATIVE.is_file():
        parser.error(f"no {NATIVE}: build the preset release first")
    sources = run(sys.executable, ROOT / "tools/dev/sources.py", ROOT / "build/sources").split()
    failed = 0
    for platform in PLATFORMS:
        if options.platform and platform.tag not in options.platform:
            continue
        try:
            program = build_program(platform, sources)
            tried = try_program(platform, program)
            wheel = pack(platform, program, options.to.resolve())
            print(f"{wheel.name}: {program.stat().st_size} bytes, {tried}", flush=True)
        except Failed as error:
            failed = 1
            print(f"{platform.tag} failed: {error}", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
