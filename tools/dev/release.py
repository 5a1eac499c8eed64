#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The steps of a release, which .github/workflows/release.yml runs one after the other; each can be tried here.

    release.py check [TAG]      is this tree ready: the version, CHANGELOG.md with its date, SECURITY.md, and the tag v<VERSION>
    release.py notes            what CHANGELOG.md says about this version
    release.py sdist --to DIST  the source distribution (needs scikit-build-core)
    release.py finish DIST      beside the wheels of wheels.py: each program, the list of what is linked into it (SBOM), SHA256SUMS
    release.py verify DIST      is everything there, of this version, and as SHA256SUMS says

Exit status: 0 done, 1 something is missing or wrong (one line each).
"""
from __future__ import annotations

import argparse
import hashlib
import importlib.util
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUMS = "SHA256SUMS"
MOST_LINES = 80  # of CHANGELOG.md on one release


def platforms() -> list[str]:
    """The tags of wheels.py, the only list."""
    spec = importlib.util.spec_from_file_location("wheels", ROOT / "tools/dev/wheels.py")
    wheels = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules["wheels"] = wheels  # its dataclass looks itself up
    spec.loader.exec_module(wheels)  # type: ignore[union-attr]
    return [platform.tag for platform in wheels.PLATFORMS]


def version(root: Path = ROOT) -> str:
    return re.search(r"project\(CudaConsistent VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]  # type: ignore[index]


def sections(root: Path = ROOT) -> dict[str, str]:
    """The heading of each release in CHANGELOG.md, and its text."""
    parts = re.split(r"^## (.+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], (text.strip() for text in parts[2::2])))


def section_of_version(root: Path = ROOT) -> tuple[str, str]:
    for heading, text in sections(root).items():
        if re.match(re.escape(version(root)) + r"(?![0-9.])", heading):
            return heading, text
    return "", ""


def check(root: Path, tag: str) -> list[str]:
    number, wrong = version(root), []
    if tag and tag != f"v{number}":
        wrong.append(f"the tag {tag} is not v{number}, the version in CMakeLists.txt")
    heading, text = section_of_version(root)
    if not heading:
        wrong.append(f"CHANGELOG.md has no section '## {number} (YYYY-MM-DD)'")
    elif not re.search(r"\(\d{4}-\d\d-\d\d\)$", heading):
        wrong.append(f"CHANGELOG.md: '## {heading}' has no date: write '## {number} (YYYY-MM-DD)'")
    elif len(text.splitlines()) > MOST_LINES:
        wrong.append(f"CHANGELOG.md says more than {MOST_LINES} lines about {number}: say what a user gets")
    elif not text:
        wrong.append(f"CHANGELOG.md says nothing about {number}")
    if any(heading.startswith("Unreleased") and text for heading, text in sections(root).items()):
        wrong.append("CHANGELOG.md still has changes under 'Unreleased'")
    series = ".".join(number.split(".")[:2])
    security = root / "SECURITY.md"
    if not security.is_file() or f"{series}.x" not in security.read_text(encoding="utf-8"):
        wrong.append(f"SECURITY.md does not list {series}.x as supported")
    return wrong


def sdist(to: Path) -> None:
    """From what is committed: scikit-build-core follows links, and a build folder may have one to /."""
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "tree.tar"
        subprocess.run(["git", "archive", "--output", archive, "HEAD"], cwd=ROOT, check=True)
        tree = Path(folder) / "tree"
        with tarfile.open(archive) as members:
            members.extractall(tree, filter="data")
        subprocess.run([sys.executable, "-c", "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))",
                        str(to.resolve())], cwd=tree, check=True)


def platform_of(wheel: Path) -> str:
    return wheel.stem.split("-")[-1].split(".")[-1]


def finish(dist: Path) -> list[str]:
    """The wheel is the only source: what users download beside it is the same program."""
    wrong = []
    for wheel in sorted(dist.glob("*.whl")):
        name = f"ptxguard-{version()}-{platform_of(wheel)}"
        with zipfile.ZipFile(wheel) as archive:
            for member, file in ((r"\.data/scripts/ptxguard(\.exe)?$", ""), (r"\.dist-info/sboms/ptxguard\.cdx\.json$", ".cdx.json")):
                found = [one for one in archive.namelist() if re.search(member, one)]
                if len(found) != 1:
                    wrong.append(f"{wheel.name} has {len(found)} files {member}")
                    continue
                target = dist / (name + (file or (".exe" if found[0].endswith(".exe") else "")))
                target.write_bytes(archive.read(found[0]))
                if not file:
                    target.chmod(0o755)
    files = sorted(file for file in dist.iterdir() if file.is_file() and file.name != SUMS)
    (dist / SUMS).write_text("".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files))
    return wrong


def verify(dist: Path, wanted: list[str]) -> list[str]:
    number, wrong = version(), []
    expected = {f"ptxguard-{number}.tar.gz", SUMS}
    for tag in wanted:
        wheels = [wheel.name for wheel in dist.glob(f"ptxguard-{number}-*.whl") if platform_of(wheel) == tag]
        if len(wheels) != 1:
            wrong.append(f"{len(wheels)} wheels of {number} for {tag}")
        expected |= {*wheels, f"ptxguard-{number}-{tag}{'.exe' if tag.startswith('win') else ''}", f"ptxguard-{number}-{tag}.cdx.json"}
    present = {file.name for file in dist.iterdir()}
    wrong += [f"{name} is missing" for name in sorted(expected - present)]
    wrong += [f"{name} does not belong to the release" for name in sorted(present - expected)]
    listed = dict(reversed(line.split("  ", 1)) for line in (dist / SUMS).read_text().splitlines()) if SUMS in present else {}
    for name in sorted(present - {SUMS}):
        if listed.get(name) != hashlib.sha256((dist / name).read_bytes()).hexdigest():
            wrong.append(f"{name} is not the file that {SUMS} lists")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="the steps of a release")
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("check").add_argument("tag", nargs="?", default="", metavar="TAG")
    steps.add_parser("notes")
    steps.add_parser("sdist").add_argument("--to", type=Path, required=True, metavar="DIST")
    steps.add_parser("finish").add_argument("dist", type=Path, metavar="DIST")
    verifying = steps.add_parser("verify")
    verifying.add_argument("dist", type=Path, metavar="DIST")
    verifying.add_argument("--platform", action="append", default=[], metavar="TAG", help="only these (default: all of wheels.py)")
    options = parser.parse_args()
    wrong: list[str] = []
    if options.step == "check":
        wrong = check(ROOT, options.tag)
    elif options.step == "notes":
        print(section_of_version()[1])
    elif options.step == "sdist":
        sdist(options.to)
    elif options.step == "finish":
        wrong = finish(options.dist)
    else:
        wrong = verify(options.dist, options.platform or platforms())
    for one in wrong:
        print(f"release.py: {one}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
