#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tools/ptxguard/facts/cuda/X.Y.json for a CUDA release from the real parts in its PyPI wheels.

    add_release.py 13.6 --ptxguard build/bin/ptxguard [--facts DIR] [-o FILE]

Fetches ptxas, NVRTC and host_config.h of every build of that release (11.7 and newer; downloaded and cached as for
tests/real), measures them with `ptxguard facts --verify`, and reads which components the meta-package cuda-toolkit pins.
Values that wheels do not contain (drivers, documented values, contradictions) are kept from the release's existing file.
For a new release they are left out and listed on standard error, as are values that differ between builds of the release.
Exit status: 0 written, 1 nothing to measure, 2 wrong usage.
"""
from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/real"))
import parts  # noqa: E402
from partslib import index, wheels  # noqa: E402
from partslib.common import Selection, Unavailable, scratch  # noqa: E402
from partslib.recipes import WheelPart  # noqa: E402

WIDTH = 120
# Names in a facts file -> extras of the meta-package cuda-toolkit, in the files' order.
COMPONENTS = ["cuda-nvcc", "cuda-crt", "nvvm", "cuda-runtime", "cuda-nvrtc", "nvjitlink", "nvptxcompiler", "cublas", "cufft",
              "curand", "cusolver", "cusparse", "npp", "nvjpeg", "cuda-cupti"]
SOURCES = {
    "m-ctk": "Requires-Dist of the PyPI meta-package cuda-toolkit, one METADATA per release",
    "m-hostcfg": "crt/host_config.h in the PyPI wheels nvidia-cuda-nvcc-cu11, -cu12 (nvcc wheel) and nvidia-cuda-crt 13.x; "
                 "the preprocessor conditions were read, not the prose",
    "m-nvrtc": "libnvrtc from the PyPI wheels nvidia-cuda-nvrtc-cu11, -cu12, nvidia-cuda-nvrtc, asked by ptxguard facts "
               "--verify: nvrtcVersion, nvrtcGetSupportedArchs, nvrtcCompileProgram and the head of its PTX",
    "m-ptxas": "Linux x86_64 ptxas from the PyPI wheels nvidia-cuda-nvcc-cu11, nvidia-cuda-nvcc-cu12, nvidia-cuda-nvcc, asked "
               "by ptxguard facts --verify: --version, --help, the newest .version, each architecture that any table names",
}


def numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def listed_versions(package: str, release: str) -> list[str]:
    """Versions of a package that belong to the release, ascending; pre-releases left out."""
    try:
        files = next(index.listed_files(package))
    except Unavailable:
        return []
    wheel_versions = (file.filename.split("-")[1] for file in files if file.filename.endswith(".whl"))
    found = {version for version in wheel_versions if re.fullmatch(r"[\d.]+", version)}
    return sorted((v for v in found if numbers(v)[:2] == numbers(release)), key=numbers)


def lay(package: str, version: str, picks: tuple[str, ...], to: Path) -> Path | None:
    try:
        wheels.lay_wheel(WheelPart(package, version, Selection(pick=picks + ("*.dist-info/*",))), to)
    except Unavailable as reason:
        print(f"skip: {package} {version}: {reason}", file=sys.stderr)
        return None
    return to


def packages_of(release: str) -> list[tuple[str, tuple[str, ...]]]:
    """Wheels with the parts to be measured."""
    major = numbers(release)[0]
    suffix = "" if major >= 13 else f"-cu{major}"
    crt = ("*/crt/host_config.h",)
    found = [(f"nvidia-cuda-nvcc{suffix}", ("*/bin/ptxas",) + crt)]
    if major >= 13:
        found.append(("nvidia-cuda-crt", crt))
    found.append((f"nvidia-cuda-nvrtc{suffix}", ("*/libnvrtc.so*", "*/libnvrtc-builtins.so*")))
    return found


def measure(release: str, ptxguard: str, facts: Path) -> list[dict]:
    """What ptxguard says of each part of each build."""
    with scratch(Path("."), ".add-release-") as folder:
        for package, picks in packages_of(release):
            for version in listed_versions(package, release):
                lay(package, version, picks, folder.absolute() / f"{package}-{version}")
        if not any(folder.iterdir()):
            return []
        done = subprocess.run([ptxguard, "facts", "--verify", "--isolated", "--facts", str(facts), "--format", "json",
                               str(folder.absolute())], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"ptxguard facts --verify: {done.stderr.strip()}")
        return json.loads(done.stdout)["verified"]["parts"]


def same_in_all(kind: str, measured: list[dict], name: str) -> dict:
    """The values of one section, with the builds that they were measured with; the newest build's where they differ."""
    found = [part for part in measured if part["kind"] == kind and name in part["measured"]]
    found.sort(key=lambda part: numbers(part["version"] or ""))
    if not found:
        return {}
    values = found[-1]["measured"][name]
    for part in found[:-1]:
        for key, value in part["measured"][name].items():
            if value != values.get(key):
                print(f"differs: {kind} {part['version']} says {name}.{key} = {value}, {found[-1]['version']} says "
                      f"{values.get(key)}", file=sys.stderr)
    return {**values, "measured_with": list(dict.fromkeys(part["version"] for part in found))}


def updates_of(release: str) -> list[dict]:
    """Releases of the meta-package cuda-toolkit with the components that each pins."""
    updates = []
    for version in listed_versions("cuda-toolkit", release):
        part = WheelPart("cuda-toolkit", version, Selection(pick=("*.dist-info/METADATA",)))
        text = ""
        try:
            with zipfile.ZipFile(wheels._stored(part).path) as wheel:
                text = next(wheel.read(n).decode() for n in wheel.namelist() if n.endswith("METADATA"))
        except (Unavailable, StopIteration) as reason:
            print(f"skip: cuda-toolkit {version}: {reason}", file=sys.stderr)
        pins = dict(re.findall(r"^Requires-Dist: nvidia-([a-z-]+?)(?:-cu1\d)?\s*\(?==\s*([\d.]+?)(?:\.\*)?[ ;)]", text, re.M))
        components = {name: pins[name] for name in COMPONENTS if name in pins}
        name = re.sub(r"^(\d+\.\d+\.\d+)\.0$", r"\1", version)  # 13.1.2.0 is 13.1.2
        updates.append({"release": name, "components": components, "source": ["m-ctk"]})
    return updates


def merged_updates(new: list[dict], old: list[dict]) -> list[dict]:
    """What the old file knows beside the pins (drivers) stays."""
    known = {row["release"]: row for row in old}
    rows = []
    for row in new:
        before = known.pop(row["release"], {})
        drivers = {key: value for key, value in before.items() if key not in ("release", "components", "source")}
        sources = list(dict.fromkeys([*before.get("source", []), *row["source"]]))
        rows.append({"release": row["release"], **drivers, "components": row["components"], "source": sources})
    return sorted([*known.values(), *rows], key=lambda row: numbers(row["release"]))


def with_sources(section: dict, source: str, old: dict) -> dict:
    """The measured section, then what the old one has beside it; its own words about the source where they hold."""
    kept = {key: value for key, value in old.items() if key not in section and key != "source"}
    before = old.get("source", source)
    before = before if source in ([before] if isinstance(before, str) else before) else source
    made = {**section, "source": before}
    for key, value in kept.items():
        made[key] = value
    order = list(old)
    return dict(sorted(made.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def changes(values: list[str], previous: dict | None) -> dict:
    before = (previous or {}).get("ptxas_archs", {}).get("values", [])
    return {"added": [arch for arch in values if previous and arch not in before],
            "removed": [arch for arch in before if arch not in values]}


def previous_release(facts: Path, release: str) -> dict | None:
    older = [path for path in facts.glob("cuda/*.json") if numbers(path.stem) < numbers(release)]
    if not older:
        return None
    return json.loads(max(older, key=lambda path: numbers(path.stem)).read_text(encoding="utf-8"))


def compose(release: str, measured: list[dict], updates: list[dict], old: dict, previous: dict | None) -> dict:
    """The file; its members in the order of the old one."""
    made: dict = {"release": release}
    ptx = same_in_all("ptxas", measured, "ptx")
    made["ptx"] = with_sources(ptx, "m-ptxas", old.get("ptx", {"source": ["m-ptxas"]}))
    archs = same_in_all("ptxas", measured, "ptxas_archs")
    archs.pop("measured_with", None)
    archs.update(changes(archs.get("values", []), previous))
    made["ptxas_archs"] = with_sources(archs, "m-ptxas", old.get("ptxas_archs", {}))
    made["updates"] = merged_updates(updates, old.get("updates", []))
    for name, kind, source in (("host_compilers", "host_config.h", "m-hostcfg"), ("nvrtc", "NVRTC", "m-nvrtc"),
                               ("refusal_of_newer_ptx", "ptxas", "m-ptxas")):
        section = same_in_all(kind, measured, name)
        if name == "refusal_of_newer_ptx":
            section.pop("measured_with", None)
        if section:
            made[name] = with_sources(section, source, old.get(name, {}))
    glibc = {}
    for part in sorted((p for p in measured if p["kind"] == "ptxas"), key=lambda p: numbers(p["version"] or "")):
        glibc.update(part["measured"].get("ptxas_glibc", {}))
    made["ptxas_glibc"] = with_sources(glibc, "m-ptxas", old.get("ptxas_glibc", {"source": ["m-ptxas"]}))
    for key, value in old.items():
        made.setdefault(key, value)
    made["sources"] = sources_of(made, old)
    order = [*old] or [*made]
    return dict(sorted(made.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def sources_of(made: dict, old: dict) -> list[dict]:
    """Those that some value names; the old file's words where it has them."""
    known = {source["id"]: source for source in old.get("sources", [])}
    used = set(re.findall(r'"([a-z]-[A-Za-z0-9]+)"', json.dumps({k: v for k, v in made.items() if k != "sources"})))
    return [known.get(name, {"id": name, "kind": "measured", "what": SOURCES.get(name, "")})
            for name in sorted(used) if name in known or name in SOURCES]


def written(value: object, indent: int = 0, used: int = 0) -> str:
    """JSON as the files are written: in one line what fits, lists of words filled."""
    if isinstance(value, dict):
        line = "{ " + ", ".join(f"{json.dumps(k)}: {written(v)}" for k, v in value.items()) + " }" if value else "{}"
    elif isinstance(value, list):
        line = "[" + ", ".join(written(v) for v in value) + "]"
    else:
        return json.dumps(value, ensure_ascii=False)
    simple = not any(isinstance(v, dict) for v in (value.values() if isinstance(value, dict) else value))
    if (simple or indent) and used + len(line) < WIDTH - 1 and not (isinstance(value, dict) and "components" in value):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        rows = [f"{inner}{json.dumps(k)}: {written(v, indent + 2, indent + len(k) + 6)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"
    if simple and all(isinstance(v, str) for v in value):
        rows, row = [], inner
        for text in (json.dumps(v, ensure_ascii=False) for v in value):
            if len(row) + len(text) + 2 > WIDTH - 1 and row != inner:
                rows.append(row.rstrip())
                row = inner
            row += text + ", "
        return "[\n" + "\n".join([*rows, row.rstrip(", ")]) + "\n" + " " * indent + "]"
    return "[\n" + ",\n".join(inner + written(v, indent + 2, indent + 2) for v in value) + "\n" + " " * indent + "]"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release", metavar="X.Y")
    parser.add_argument("--ptxguard", required=True, metavar="EXE")
    parser.add_argument("--facts", type=Path, default=ROOT / "tools/ptxguard/facts", metavar="DIR")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: the release's file in --facts")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"\d+\.\d+", options.release):
        parser.error(f"{options.release} is no release such as 13.6")
    target = options.output or options.facts / "cuda" / f"{options.release}.json"
    existing = options.facts / "cuda" / f"{options.release}.json"
    old = json.loads(existing.read_text(encoding="utf-8")) if existing.exists() else {}
    measured = [part for part in measure(options.release, options.ptxguard, options.facts) if part["state"] != "broken"]
    if not measured:
        print(f"no part of CUDA {options.release} could be measured", file=sys.stderr)
        return 1
    made = compose(options.release, measured, updates_of(options.release), old,
                   previous_release(options.facts, options.release))
    target.write_text(written(made) + "\n", encoding="utf-8")
    print(f"{target}: CUDA {options.release} from {len(measured)} parts")
    if not old:
        print("not established by wheels: driver_linux / driver_windows of each update and, for a new major, its "
              "minimum_driver in drivers.json (NVIDIA's release notes)", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
