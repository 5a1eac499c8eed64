#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the missing libraries and functions that `ptxguard check` reports with `ldd -r`, module by module.

    compare_modules.py --ptxguard EXE SITE [SITE ...]

Each SITE is a site-packages folder, whole or hollow. For every shared library that needs torch's or NVIDIA's libraries, the real
loader resolves the same process: torch/lib, NVIDIA's wheels and the package's own folders on LD_LIBRARY_PATH, and where torch is
installed libtorch_global_deps.so before it, as `import torch` loads it. Of the variants of one library
(libx_cuda126.so, libx_cuda130.so) a package opens the one that fits: if the loader accepts one, the others are not
compared. Exit status: 0 all equal, 1 some module differs, 2 wrong usage, 77 nothing to compare.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

UNDEFINED = re.compile(r"undefined symbol: (\S+?)(?:, version (\S+))?\s+\((.+)\)")
SCOPE = re.compile(r"_Z(?:TV|TT|TI|TS|GV|Z)?N[rVK]*(?:3c10|4c10d|2at|5torch|6caffe2)|aoti_torch_|torch_")
NVIDIA = re.compile(r"lib(?:cu(?!tensor)|nv(?!infer|onnx)|nccl)")  # cuTENSOR and TensorRT are not in the tables
ABSENT = re.compile(r"^\s*(\S+) => not found", re.MULTILINE)
CONCERNS = re.compile(r"lib(?:c10|torch|cu(?!da\.so|rl|ps|tensor)|nv(?!idia-ml|cuvid|infer|onnx)|nccl)")
SKIPPED = 77


def modules_of(site: Path) -> list[Path]:
    """Those that need a library of torch or of NVIDIA, without torch's and NVIDIA's own."""
    found = []
    for path in sorted(site.rglob("*.so*")):
        if path.relative_to(site).parts[0] in ("torch", "nvidia") or not re.search(r"\.so(\.[0-9.]+)?$", path.name) or not path.is_file():
            continue
        dynamic = subprocess.run(["readelf", "-dW", str(path)], capture_output=True, text=True).stdout
        if re.search(r"\(NEEDED\).*\[lib(c10|torch|cu|nv|nccl)", dynamic):
            found.append(path)
    return found


def by_loader(site: Path, module: Path) -> tuple[set[str], set[str]]:
    package = site / module.relative_to(site).parts[0]
    own = {one.parent for one in package.rglob("*.so*")} if package.is_dir() else set()
    torch = site / "torch/lib"
    folders = [torch, *sorted(site.glob("nvidia/*/lib")), *sorted(own)]
    env = {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, folders))}
    if (torch / "libtorch_global_deps.so").is_file():
        env["LD_PRELOAD"] = str(torch / "libtorch_global_deps.so")
    done = subprocess.run(["ldd", "-r", str(module)], capture_output=True, text=True, env=env)
    text = done.stdout + done.stderr
    missing = {name for name in ABSENT.findall(text) if CONCERNS.match(name)}
    names = set()
    for line in text.splitlines():
        match = UNDEFINED.search(line)
        # The names of a missing library are reported as that library.
        if match and os.path.realpath(match[3]) == os.path.realpath(module) and match[2] not in missing and \
                (SCOPE.match(match[1]) or (match[2] and NVIDIA.match(match[2]))):
            names.add(match[1])
    return names, missing


def unused_variants(modules: list[Path], theirs: list[tuple[set[str], set[str]]]) -> set[Path]:
    """The variants of a module that has everything it needs."""
    def key(module: Path) -> tuple[Path, str]:
        variant = "_torch" in module.name or "_cuda" in module.name or module.name.startswith("lib")
        return module.parent, re.sub(r"[0-9]", "", module.name) if variant else module.name
    whole = {key(module) for module, (names, missing) in zip(modules, theirs) if not names and not missing}
    return {module for module, (names, missing) in zip(modules, theirs) if (names or missing) and key(module) in whole}


def by_ptxguard(program: Path, site: Path) -> dict[str, tuple[int, set[str], set[str]]]:
    command = [str(program), "check", "--isolated", "--probe", "off", "--format", "json", "--fail-on", "never", "--python", str(site)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {os.path.realpath(one["path"]): (one.get("undefined", 0), {name["name"] for name in one.get("undefined_names", [])},
                                            {library["name"] for library in one.get("missing", [])})
            for one in report["inventory"].get("modules", [])}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("site", nargs="+", type=Path)
    options = parser.parse_args()
    compared = differ = with_names = left_out = 0
    for site in (one.resolve() for one in options.site):
        ours = by_ptxguard(options.ptxguard, site)
        modules = modules_of(site)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            theirs = list(pool.map(lambda module: by_loader(site, module), modules))
        unused = unused_variants(modules, theirs)
        left_out += len(unused)
        for module, (names, missing) in zip(modules, theirs):
            if module in unused:
                continue
            count, own, lacks = ours.get(os.path.realpath(module), (0, set(), set()))
            compared += 1
            with_names += bool(names or missing)
            # Of many names the report has only the first ones.
            if count != len(names) or not own <= names or lacks != missing:
                differ += 1
                print(f"{module}: ptxguard {count} {sorted(lacks)}, ldd -r {len(names)} {sorted(missing)}")
                for name in sorted(own ^ names)[:10]:
                    print(f"  {'ldd -r' if name in names else 'ptxguard'} only: {name}")
    print(f"{compared} modules compared, {with_names} that lack something, {differ} differ; {left_out} unused variants")
    return SKIPPED if compared == 0 else int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
