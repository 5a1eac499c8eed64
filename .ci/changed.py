#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a change adds to the gate.

    changed.py tests    the regular expressions of the further tests (ctest -R), a group a line in the order in which they run,
                        as long as the gate has time; why each is added, to stderr
    changed.py style    clang-format, GCC and clang-tidy on the changed C++ files; exits with 1 if a file is not formatted or
                        does not compile alone and with GCC (the gate's own build takes Clang and several at a time), and
                        with PTXGUARD_TIDY=error also if clang-tidy has a complaint
    changed.py list     every folder that adds tests, with its tests and what they prove

The change is what is new since $PTXGUARD_BASE; else since the merge base with origin/main; on main itself the commits of the
last three hours, seen from the newest.
"""

from __future__ import annotations

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
THREE_HOURS = 3 * 3600
ALONE_SECONDS = 60.0
TIDY_SECONDS = float(os.environ.get("PTXGUARD_TIDY_SECONDS", "30"))


class Area(NamedTuple):
    """A part of the project, and the tests (regular expressions, as ctest and Python read them) that a change there adds. Of
    several that a file belongs to, the one with the longest start counts."""

    start: str
    end: str
    tests: tuple[str, ...]
    proof: str




def listed(file: str, variable: str) -> list[str]:
    """The words of a set() of a CMake file."""
    found = re.search(rf"set\({variable}\b([^)]*)\)", (ROOT / file).read_text(encoding="utf-8"))
    return re.sub(r"#.*", "", found[1]).split()  # type: ignore[index]


# The oldest ones and the newest; those between them, and the newest with the other cases, run in `test.sh all`.
OTHER_CMAKES = ("cmake[.]3[.](18|20)[.].*", f"cmake[.]newest[.]({'|'.join(listed('tests/cmake/CMakeLists.txt', 'every_cmake'))})")
OTHER_CMAKES_PROOF = "find_package with older and newer CMakes"
SLOW = (f"cmake[.]own[.]({'|'.join(case for case in listed('tests/cmake/CMakeLists.txt', 'slow') if case != 'bootstrap')})",)
SLOW_PROOF = "the slow cases of find_package"
BOOTSTRAP = ("cmake[.]own[.]bootstrap",)
BOOTSTRAP_PROOF = "ptxguard compiled by find_package"
REAL_LOADERS = ("real[.]Preloads", "real[.]OpenedLater", "real[.]NvidiaWheels")
WINDOWS_LOADER = ("dotnet.cpp", "dotnet.hpp", *(f"trace_windows{part}" for part in (".cpp", "_parts.cpp", "_parts.hpp", "_process.cpp", "_search.cpp")))
# In the order in which they run.
AREAS = [
    Area("tools/ptxguard/load/", ".cpp", REAL_LOADERS, "real loaders"),
    Area("tools/ptxguard/inspect/", ".cpp", ("real[.]AgainstCuobjdump", "real[.]Verdicts"), "inspect against cuobjdump"),
    Area("tools/ptxguard/probe/", ".cpp", ("real[.]RealParts", "real[.]SmallMatrix", "real[.]Libnvvm"), "compilers of every kind"),
    Area("tools/ptxguard/facts/", ".json", ("real[.]facts_against_.*", "real[.]FactsVerify", "real[.]SmallMatrix"), "tables against real tools"),
    # The replay of the stories takes eight minutes: only test.sh all runs it.
    Area("tests/windows/", "", ("windows[.](same_by_root|strict_clang|install_and_cmake)",), "programs of Windows under wine"),
    Area("tools/ptxguard/host/", "_windows.cpp", ("windows[.](same_by_root|strict_clang)",), "programs of Windows under wine"),
    *(Area(f"tools/ptxguard/load/{file}", "", tests, proof) for file in WINDOWS_LOADER for tests, proof in (
        (("windows[.](same_by_root)",), "programs of Windows under wine"), (REAL_LOADERS, "real loaders"))),
    *(Area(start, "", ("logs[.]ordinary",), "logs of ordinary work")
      for start in ("tests/logs/", "tools/ptxguard/messages/", "tools/ptxguard/diagnose/")),
    *(Area(start, "", tests, proof) for tests, proof in ((SLOW, SLOW_PROOF), (OTHER_CMAKES, OTHER_CMAKES_PROOF))
      for start in ("cmake/Modules/", "tests/cmake/")),
    Area("cmake/", "", BOOTSTRAP, BOOTSTRAP_PROOF),
    Area("CMakeLists.txt", "", BOOTSTRAP, BOOTSTRAP_PROOF),
    Area("cmake/Modules/CudaConsistent/bootstrap.cmake", "", OTHER_CMAKES, OTHER_CMAKES_PROOF),
    Area("cmake/Modules/CudaConsistent/bootstrap.cmake", "", BOOTSTRAP, BOOTSTRAP_PROOF),
    *(Area(start, "", (f"ways[.]({ways})",), proof) for start, ways, proof in (
        ("action.yml", "Ci", "the action"),
        ("templates/ci/", "Ci", "forms for CI"),
        (".pre-commit-hooks.yaml", "PreCommit", "hooks"),
        ("templates/pre-commit-mirror/", "PreCommit", "hooks"),
        ("templates/pre-commit-config.yaml", "PreCommit", "hooks"),
        ("templates/", "Templates|PythonBuilds", "templates, built"),
        ("tools/dev/sources.py", "Wheel|Build|PythonBuilds", "wheels and builds from source"),
        ("tools/dev/wheels.py", "Wheel|Build|PythonBuilds", "wheels and builds from source"),
        ("tools/dev/wheels.txt", "Wheel|Build|PythonBuilds", "wheels and builds from source"),
        ("tests/ways/", ".*", "wheels, hooks and templates"),
        ("tools/dev/install.sh", ".*", "every way in, from what is installed"),
        ("pyproject.toml", ".*", "every way in: the wheel has all of them"))),
]
RULE = re.compile(r"tools/ptxguard/judge/rules/(CC\d{3})_[^/]*/\w+\.[ch]pp")  # its cases and its page are tests and text


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def base() -> str:
    """The commit before the change, or nothing where there is no history."""
    named = os.environ.get("PTXGUARD_BASE")
    if named:
        return git("rev-parse", f"{named}^{{commit}}")
    try:
        merge_base = git("merge-base", "HEAD", "origin/main")
        if merge_base != git("rev-parse", "HEAD"):
            return merge_base
    except subprocess.CalledProcessError:
        pass  # no such branch
    before = int(git("log", "-1", "--format=%ct")) - THREE_HOURS
    return git("rev-list", "-1", f"--before={before}", "HEAD")


def changed_files() -> list[str]:
    commit = base()
    committed = git("diff", "--name-only", "--diff-filter=d", commit, "HEAD") if commit else ""
    untracked = git("ls-files", "--others", "--exclude-standard")
    edited = git("diff", "--name-only", "--diff-filter=d", "HEAD")
    return sorted(set(filter(None, "\n".join((committed, edited, untracked)).splitlines())))


class Added(NamedTuple):
    proof: str  # one run of ctest for all tests with the same one
    why: str


def added_tests(files: list[str]) -> dict[str, Added]:
    """Tests -> why, in the order in which they run."""
    added: dict[str, Added] = {}
    rules: dict[str, str] = {}
    areas: dict[Area, str] = {}
    for file in files:
        fits = [area for area in AREAS if file.startswith(area.start) and file.endswith(area.end)]
        nearest = max((len(area.start) for area in fits), default=0)
        for area in fits:
            if len(area.start) == nearest:
                areas.setdefault(area, file)
        rule = RULE.match(file)
        if rule:
            rules.setdefault(rule[1], file)
    for code, file in rules.items():
        test = test_of_rule(code)
        if test:
            added.setdefault(test.replace(".", "[.]"), Added("rules on a real part", f"{code} on a real part: {file} changed"))
    for area in AREAS:
        for test in area.tests if area in areas else ():
            added.setdefault(test, Added(area.proof, f"{area.proof}: {areas[area]} changed"))
    return added


def test_of_rule(code: str) -> str | None:
    """The class of tests/real that names the rule most often, if no class of the gate does."""
    named = []
    core = core_classes()
    for file in sorted((ROOT / "tests/real").glob("test_*.py")):
        for body in re.split(r"^(?=class )", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name = re.match(r"class (\w+)", body)[1]  # type: ignore[index]
            if code not in body or "    def test_" not in body:
                continue
            if name in core:
                return None
            named.append((body.count(code), name))
    return f"real.{max(named)[1]}" if named else None


def core_classes() -> set[str]:
    return set(listed("tests/real/CMakeLists.txt", "core"))


def tests() -> int:
    groups: dict[str, list[str]] = {}
    for name, (proof, why) in added_tests(changed_files()).items():
        print(f"gate: also {name}: {why}", file=sys.stderr)
        groups.setdefault(proof, []).append(name)
    for names in groups.values():
        print("^(" + "|".join(names) + ")$")
    return 0


def style() -> int:
    files = [file for file in changed_files() if re.fullmatch(r"(tools|tests)/.*\.[ch]pp", file)]
    if not files:
        return 0
    tools = {name: shutil.which(name) or "" for name in ("clang-format", "g++", "clang-tidy")}
    for name, path in tools.items():
        if not path:
            print(f"style: {name} is not installed", file=sys.stderr)
            return 1
    formatted = subprocess.run([tools["clang-format"], "--dry-run", "--Werror", *files], cwd=ROOT, check=False)
    sources = sorted((file for file in files if file.endswith(".cpp")), key=lambda file: -(ROOT / file).stat().st_mtime)
    with tempfile.TemporaryDirectory() as folder:
        header = f"{folder}/all.hpp"  # GCC takes all.hpp.gch instead of it
        Path(header).write_text(f'#include "{ROOT / PRECOMPILED}"\n', encoding="utf-8")
        subprocess.run([tools["g++"], *flags(PRECOMPILED), "-x", "c++-header", header, "-o", f"{header}.gch"], cwd=ROOT, check=True)
        alone = read_all("GCC", sources, ALONE_SECONDS, "more time than a gate has", lambda file: [
            tools["g++"], *flags(file), "-include", header, "-fsyntax-only", file])
    complaints = read_all("clang-tidy", sources, TIDY_SECONDS, "PTXGUARD_TIDY_SECONDS", lambda file: [
        tools["clang-tidy"], "--quiet", file, "--", *flags(file), "-include", PRECOMPILED])
    return 1 if formatted.returncode or alone or (complaints and os.environ.get("PTXGUARD_TIDY") == "error") else 0


PRECOMPILED = "tools/ptxguard/precompiled.hpp"


def flags(file: str) -> list[str]:
    folders = ["tools/ptxguard", "tests/unit", "tests/unit/fake", "tests/unit/model", str(Path(file).parent)]
    defined = ("-DPTXGUARD_VERSION=\"0\"", "-DPTXGUARD_RULE_PAGES=\"\"", "-DREPLAYED=X(text)")  # by CMake
    return ["-std=c++17", *defined, *(f"-I{folder}" for folder in folders)]


def read_all(name: str, sources: list[str], seconds: float, limit: str, command: Callable[[str], list[str]]) -> int:
    """The newest files first, as long as the time lasts. Returns how many have complaints."""
    end = time.monotonic() + seconds
    wrong, left_out, elsewhere = 0, 0, 0

    def check(file: str) -> subprocess.CompletedProcess[str] | None:
        if time.monotonic() > end:
            return None
        return subprocess.run(command(file), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(check, sources):
            if done is None:
                left_out += 1
            elif re.search(r"(windows\.h|rule_codes\.hpp): No such file|.PTXGUARD_\w+. was not declared", done.stdout):
                elsewhere += 1
            elif done.returncode:
                wrong += 1
                print(done.stdout)
    read = len(sources) - left_out - elsewhere
    print(f"style: {name} read {read} of {len(sources)} changed sources, {wrong} with complaints; {elsewhere} need headers of Windows or of a build")
    if left_out:
        print(f"style: {left_out} were left out: more than {seconds:.0f} s ({limit})")
    return wrong


def list_areas() -> int:
    for area in AREAS:
        print(f"{area.start}*{area.end}: {' '.join(area.tests)}: {area.proof}")
    return 0


if __name__ == "__main__":
    commands = {"tests": tests, "style": style, "list": list_areas}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]]())
