#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what ptxguard reads from real wheels of frameworks with the tables, which were measured independently.

    compare_frameworks.py --ptxguard EXE [--small | --all] [--only PACKAGE] [--facts DIR] [--keep FILE]

Of each release only the small files that the reader needs are fetched, by ranges, from the wheel into a site-packages
folder; Windows wheels are checked on Linux through --root. CUDA, cuDNN, the C++ ABI and (Triton) ptxas are compared;
values that ptxguard itself took from the tables do not count. Exit status: 0 all equal, 1 some value differs, 2 wrong
usage, 77 nothing could be fetched.
"""
from __future__ import annotations

import argparse
import collections
import functools
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from partslib import index, wheels  # noqa: E402
from partslib.common import Selection, Unavailable  # noqa: E402
from partslib.recipes import WheelPart  # noqa: E402

FACTS = Path(__file__).resolve().parents[2] / "tools/ptxguard/facts"
SKIPPED = 77
RECORDS = ["*.dist-info/METADATA", "*.dist-info/WHEEL"]
PYTHONS = [f"3.{minor}" for minor in range(14, 4, -1)]


@dataclass(frozen=True)
class Package:
    """A package of the tables: what of its wheels is read, and how many releases are compared."""

    name: str
    component: str
    pick: tuple
    linux: int = 0
    windows: int = 0
    same_on_windows: bool = False  # the table lists only Linux, and both are built alike
    beside: tuple = ()  # further packages of the same version: (name, what is read)


CUPY = ("cupy/__init__.py", "cupy/_version.py", "cupy/_environment.py", "cupy/.data/_wheel.json")
TENSORFLOW = ("tensorflow*/python/platform/build_info.py", "*/cuda_config.h", "*/core/public/*version.h")
PADDLE = ("paddle/version/__init__.py", "paddle/version.py")
MXNET = ("mxnet/libinfo.py",)
JAXLIB = (("jaxlib", ("jaxlib/version.py", "jaxlib/__init__.py", "jaxlib/plugin_support.py")),)
ONNXRUNTIME = ("onnxruntime/__init__.py", "onnxruntime/capi/__init__.py", "onnxruntime/capi/*info.py")
TRITON = ("triton/__init__.py", "triton/compiler/__init__.py", "triton/backends/nvidia/bin/ptxas*", "triton/third_party/cuda/bin/ptxas*")
PACKAGES = [
    Package("torch", "PyTorch", ("torch/version.py", "torch/__init__.py", "torch/share/cmake/Torch/TorchConfig.cmake",
                                 "torch/lib/libc10.so"), linux=12, windows=4),
    Package("tensorflow", "TensorFlow", TENSORFLOW, linux=12, windows=6),
    Package("tensorflow-gpu", "TensorFlow", TENSORFLOW, linux=2, windows=1),
    Package("jax-cuda12-plugin", "JAX", ("jax_cuda12_plugin/_versions.so", "jax_cuda12_plugin/version.py"), linux=6, beside=JAXLIB),
    Package("jax-cuda13-plugin", "JAX", ("jax_cuda13_plugin/_versions.so", "jax_cuda13_plugin/version.py"), linux=3, beside=JAXLIB),
    Package("onnxruntime-gpu", "ONNXRuntime", ONNXRUNTIME, linux=4, windows=6),
    Package("triton", "Triton", TRITON, linux=3),
    Package("triton-windows", "Triton", TRITON, windows=2),
    Package("cupy-cuda102", "CuPy", CUPY, linux=3, windows=1, same_on_windows=True),
    Package("cupy-cuda110", "CuPy", CUPY, linux=2),
    Package("cupy-cuda111", "CuPy", CUPY, linux=2, windows=1, same_on_windows=True),
    Package("cupy-cuda112", "CuPy", CUPY, linux=2),
    Package("cupy-cuda117", "CuPy", CUPY, linux=1),
    Package("cupy-cuda11x", "CuPy", CUPY, linux=3, windows=1, same_on_windows=True),
    Package("cupy-cuda12x", "CuPy", CUPY, linux=4, windows=2, same_on_windows=True),
    Package("cupy-cuda13x", "CuPy", CUPY, linux=2, windows=1, same_on_windows=True),
    Package("paddlepaddle-gpu", "PaddlePaddle", PADDLE, linux=8, windows=3, same_on_windows=True),
    *[Package(f"mxnet-cu{cuda}", "MXNet", MXNET, linux=1) for cuda in ("100", "101", "102", "110", "112", "117")],
]
# For CI: one or two releases of a package, so that every reader gets real files.
SMALL = {("torch", "2.0.1", "linux"), ("tensorflow", "2.17.1", "linux"), ("tensorflow", "2.8.4", "windows"),
         ("cupy-cuda12x", "13.6.0", "windows"), ("cupy-cuda13x", "14.2.0", "linux"), ("paddlepaddle-gpu", "2.6.2", "linux"),
         ("mxnet-cu112", "1.9.1", "linux"), ("jax-cuda13-plugin", "0.9.2", "linux"), ("onnxruntime-gpu", "1.31.1", "windows")}


@dataclass
class Release:
    package: Package
    version: str
    system: str
    expected: dict  # "cuda", "cudnn", "cxx_abi", "ptxas" -> as the table writes it
    told: dict = field(default_factory=dict)
    trouble: str = ""

    def __str__(self) -> str:
        return f"{self.package.name} {self.version} ({self.system})"


def build_of(package: Package, row: dict, system: str) -> dict | None:
    """The table's row for that system's wheel."""
    builds = row.get("builds", {})
    return builds.get("linux" if package.same_on_windows and system not in builds else system)


def spread(rows: list, count: int) -> list:
    """The first, the last, and some evenly spaced between them."""
    if count >= len(rows):
        return rows
    return [rows[round(i * (len(rows) - 1) / max(count - 1, 1))] for i in range(count)]


def releases_of(package: Package, facts: Path, everything: bool) -> list[Release]:
    table = json.loads((facts / "frameworks" / f"{package.name}.json").read_text(encoding="utf-8"))
    found = []
    for system, count in (("linux", package.linux), ("windows", package.windows)):
        rows = [row for row in table["releases"] if build_of(package, row, system) is not None]
        if package.component == "Triton":  # the oldest had no ptxas
            rows = [row for row in rows if build_of(package, row, system).get("tools")]
        for row in rows if everything and count else spread(rows, count) if count else []:
            build = build_of(package, row, system) or {}
            expected = {key: build.get(key) for key in ("cuda", "cudnn", "cxx_abi")}
            expected["cpu_only"] = build.get("cpu_only")
            expected["ptxas"] = {Path(tool).stem: version for tool, version in build.get("tools", {}).items()} or None
            found.append(Release(package, row["version"], system, expected))
    return found


@functools.lru_cache(maxsize=None)
def page(address: str) -> list:
    return read_page(address)


read_page, index._read_page = index._read_page, lambda address: page(address)  # each index page is fetched once


def python_of(package: str, version: str, system: str) -> str:
    for python in PYTHONS:
        try:
            index.find_wheel(package, version, system, python)
            return python
        except Unavailable as reason:
            problem = reason
    raise problem


def lay(release: Release, site: Path) -> None:
    site.mkdir(parents=True)
    for name, pick in ((release.package.name, release.package.pick), *release.package.beside):
        python = python_of(name, release.version, release.system)
        selection = Selection(pick=(*pick, *RECORDS), drop=(), source="", into="")
        wheels.lay_wheel(WheelPart(name, release.version, selection, platform=release.system, python=python), site)


def ask(ptxguard: str, release: Release, folder: Path) -> dict:
    windows = release.system == "windows"
    site = folder / ("C/Python/Lib/site-packages" if windows else "site-packages")
    lay(release, site)
    where = ["--root", str(folder), "--os", "windows", "--python", "C:\\Python\\Lib\\site-packages"] if windows else [
        "--python", str(site)]
    command = [ptxguard, "check", "--isolated", "--format", "json", "--probe", "off", "--fail-on", "never", *where]
    environment = {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"ptxguard ended with {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)


def read_from(report: dict, component: str) -> dict:
    """The values in the files; one that came from the tables would be compared with itself."""
    found = [e for e in report["expectations"] if e["framework"] == component]
    if len(found) != 1:
        return {"trouble": f"{len(found)} frameworks of that name"}
    expectation = found[0]
    told = {"trouble": expectation.get("trouble", ""), "cpu_only": None}
    for key in ("cuda", "cudnn", "cxx_abi", "cpu_only", "version"):
        value = expectation.get(key)
        told[key] = value["value"] if value and value["origin"].get("certainty") != "predicted" else None
    told["ptxas"] = {Path(t["path"]).stem: t["version"]["value"] for t in expectation.get("tools", []) if t.get("version")} or None
    return told


def numbers(value: object) -> list:
    text = str(value)
    if text.startswith("64_"):  # TensorFlow on Windows: the ending of a DLL's name
        digits = text[3:]
        text = digits if len(digits) < 3 else f"{digits[:-1]}.{digits[-1]}"
    text = text[:-2] if text.endswith(".x") else text
    return [int(number) for number in text.split(".")]


def same(table: object, told: object, key: str) -> bool:
    """Two versions are the same if one only continues the other (cuDNN 8 and 8.9.7.29)."""
    if key in ("cuda", "cudnn"):
        a, b = numbers(table), numbers(told)
        return a[: len(b)] == b[: len(a)]
    return table == told


def compare(release: Release) -> dict:
    """Key -> "equal", "differs", "table alone" or "file alone"."""
    outcome = {}
    keys = ["cuda", "cudnn", "cxx_abi", "cpu_only"] + (["ptxas"] if release.package.component == "Triton" else [])
    for key in keys:
        table, told = release.expected.get(key), release.told.get(key)
        if key == "cpu_only":
            if table:
                outcome[key] = "equal" if told is True and release.told.get("cuda") is None else "differs"
            continue
        if table is None and told is None:
            continue
        if table is None or told is None:
            outcome[key] = "file alone" if table is None else "table alone"
        else:
            outcome[key] = "equal" if same(table, told, key) else "differs"
    if release.told.get("trouble"):
        outcome["trouble"] = "differs"
    return outcome


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True)
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--small", action="store_true", help="one release or two of each reader, a few MB")
    amount.add_argument("--all", action="store_true", help="every release of the tables")
    parser.add_argument("--only", action="append", default=[], metavar="PACKAGE")
    parser.add_argument("--facts", type=Path, default=FACTS)
    parser.add_argument("--keep", type=Path, help="write what was found as JSON")
    return parser.parse_args()


def chosen(arguments: argparse.Namespace) -> list[Release]:
    found = []
    for package in PACKAGES:
        if arguments.only and package.name not in arguments.only:
            continue
        all_of_it = releases_of(package, arguments.facts, arguments.all or arguments.small)
        if arguments.small:
            all_of_it = [r for r in all_of_it if (package.name, r.version, r.system) in SMALL]
        found += all_of_it
    return found


def main() -> int:
    arguments = parse_arguments()
    counts: collections.Counter = collections.Counter()
    missing, rows = [], []
    for release in chosen(arguments):
        with tempfile.TemporaryDirectory(prefix="ptxguard-frameworks-") as folder:
            try:
                release.told = read_from(ask(arguments.ptxguard, release, Path(folder)), release.package.component)
            except Unavailable as reason:
                missing.append(f"{release}: {reason}")
                continue
        outcome = compare(release)
        counts["releases"] += 1
        counts.update(f"{key} {what}" for key, what in outcome.items())
        rows.append({"release": str(release), "expected": release.expected, "told": release.told, "outcome": outcome})
        for key, what in outcome.items():
            if what == "differs":
                told = release.told.get(key)
                print(f"DIFFERS {release}: {key}: the table says {release.expected.get(key)}, its files say {told}")
        print(f"{release}: {', '.join(f'{key} {what}' for key, what in outcome.items()) or 'nothing to compare'}", flush=True)
    if arguments.keep:
        arguments.keep.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    for line in missing:
        print(f"not to be had: {line}")
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    if not rows:
        return SKIPPED
    return 1 if any(what.endswith("differs") for what in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
