#!/usr/bin/env python3
# Another compiler than mingw's reads the sources of the Windows program: clang for Windows, with every extension of GNU's or Microsoft's
# an error. MSVC itself cannot be had here; what it refuses is mostly such an extension.
#
#   strict_clang.py --generated FOLDER [--only TEXT]
#
# Exit code 0: all are accepted; 1: some are not; 77: something needed is not installed.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tools/ptxguard"
FLAGS = ["--target=x86_64-w64-mingw32", "-fsyntax-only", "-std=c++17", "-pedantic-errors", "-Wgnu", "-Wmicrosoft", "-Werror",
         "-DWIN32_LEAN_AND_MEAN", "-DNOMINMAX", "-D_WIN32_WINNT=0x0A00", '-DPTXGUARD_VERSION="0"', '-DPTXGUARD_RULE_PAGES=""',
         f"-I{SOURCES}"]
# Of the libraries that are sources of the program; they keep their own warnings.
LIBRARIES = ["boost", "CLI", "toml++", "yaml.h", "zstd.h", "lz4.h", "libdeflate.h"]


def standard_library() -> list[str]:
    """The folders of mingw's C and C++ libraries, without the headers of GCC itself."""
    for compiler in ("x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++"):
        if shutil.which(compiler):
            said = subprocess.run([compiler, "-E", "-v", "-x", "c++", os.devnull], capture_output=True, text=True, check=False).stderr
            lines = said.split("search starts here:")[-1].split("End of search")[0].splitlines()
            return [line.strip() for line in lines if "/c++" in line or line.endswith("mingw32/include")]
    return []


def problem_of(source: Path, includes: list[str]) -> str:
    words = ["clang++", *FLAGS, *[word for folder in includes for word in ("-isystem", folder)], str(source)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description="Reads the sources of the Windows program with clang.")
    parser.add_argument("--only", default="")
    parser.add_argument("--generated", required=True, help="the folder of rule_codes.hpp, which the build makes")
    arguments = parser.parse_args()
    includes = [*standard_library(), arguments.generated]
    if not shutil.which("clang++") or len(includes) < 2:
        print("skipped: clang++ or x86_64-w64-mingw32-g++ is not installed (Debian: clang, g++-mingw-w64-x86-64-posix)")
        return 77
    sources = [one for one in sorted(SOURCES.rglob("*.cpp")) if "_posix" not in one.name and arguments.only in str(one)]
    bad = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in LIBRARIES:
            if Path("/usr/include", name).exists():
                Path(folder, name).symlink_to(Path("/usr/include", name))
        for source, said in zip(sources, pool.map(lambda one: problem_of(one, [*includes, folder]), sources)):
            missing = "file not found" in said and any(f"'{name}" in said for name in LIBRARIES)
            if said and not missing:
                bad += 1
                print(f"{source.relative_to(ROOT)}:\n{said[:1500]}", flush=True)
    print(f"{len(sources) - bad} of {len(sources)} sources")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
