#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the program in one place at a time and prints the changes that no unit test notices.

    mutants.py --build build/release [--room judge ...] [--changed [BASE]] [--count 100] [--seed N] [--label]

A mutant is drawn at random: first a source file (each once before any comes twice), then the kind of change, then the place.
It is compiled, and the unit program of its room runs; with --label, the label `unit` decides about what survives that. A
mutant that does not compile, or that the compiler turns into the same program, is drawn again. What survives is printed
with its place: it needs a test, or it changes nothing that anybody can see. The source is restored after each mutant.

BUILD is a folder that was built without PTXGUARD_UNITY; --changed takes only files that differ from the commit where
this branch left BASE. Exit status: 0 measured, 2 wrong usage or unit tests that fail without a mutant.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
ROOMS = "tools/ptxguard"
BUILD_SECONDS, LABEL_SECONDS, LEAST_SECONDS = 900, 1800, 20
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'',
                      re.DOTALL | re.MULTILINE)
WORD = r"[A-Za-z_][\w.:]*(?:->\w+)*(?:\(\))?|\d+"
# Where warnings are errors a mutant would otherwise not compile for its looks; lines keep their numbers.
LOOKS = ["parentheses", "unused-variable", "unused-but-set-variable", "unused-function", "misleading-indentation", "type-limits"]
HEAD = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in LOOKS) + "#line 1\n"
OTHER = {"&&": "||", "||": "&&", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LEVELS = ["error", "warning", "note", "unknown"]


def code_of(text: str) -> str:
    """The text with blanks for comments, directives and literals, so that places stay the same."""
    return NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def end_of(code: str, opening: int) -> int:
    """The place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return len(code)


def conditions(code: str):
    """(start of the statement, start and end of its condition); of `if (init; condition)` the second part."""
    for found in re.finditer(r"\b(?:if|while) \(", code):
        start, end = found.end(), end_of(code, found.end() - 1)
        yield found.start(), code.rfind(";", start, end) + 1 or start, end


def negated(text: str, code: str):
    for _, start, end in conditions(code):
        yield start, end, f"!({text[start:end].strip()})"


def and_or(text: str, code: str):
    for found in re.finditer(r"(?<=\s)(?:&&|\|\|)(?=\s)", code):
        yield *found.span(), OTHER[found.group()]


def without_exit(text: str, code: str):
    for start, _, end in conditions(code):
        found = re.compile(r"\)\s*(?:return|continue|break|throw)\b[^;{}]*;").match(code, end)
        if found and code.startswith("if", start):
            yield start, found.end(), ";" + "\n" * code.count("\n", start, found.end())


def boundaries(text: str, code: str):
    for found in re.finditer(r"(?<= )(?:<=|>=|<|>)(?=\s)", code):
        yield *found.span(), OTHER[found.group()]


def constants(text: str, code: str):
    for found in re.finditer(r"(?<![\w.'])(?:0x([0-9a-fA-F]+)|(\d+))(?=u?l?l?\b)(?![.'])", code):
        value = int(found.group(1) or found.group(2), 16 if found.group(1) else 10)
        for other in {value + 1, max(value - 1, 0)} - {value}:
            yield *found.span(), hex(other) if found.group(1) else str(other)


def swapped(text: str, code: str):
    pair = rf"({WORD})(, | - | / | % | \? | : )({WORD})(?=[,);])"
    for found in re.finditer(rf"(?:(?<=\w\()|(?<=\w, )|(?<= \? )|(?<=return )|(?<== )|(?<=\()){pair}", code):
        if found.group(1) != found.group(3) and found.group(2) != " ? ":
            yield *found.span(), found.group(3) + found.group(2) + found.group(1)


def levels(text: str, code: str):
    for found in re.finditer(r"(?<=\bLevel::)(?:error|warning|note|unknown)\b", code):
        for other in LEVELS:
            if other != found.group():
                yield *found.span(), other


KINDS = {"negate": negated, "and-or": and_or, "drop exit": without_exit, "boundary": boundaries, "constant": constants,
         "swap": swapped, "level": levels}


class Mutant:
    def __init__(self, path: Path, kind: str, start: int, end: int, other: str):
        self.path, self.kind, self.start, self.end, self.other = path, kind, start, end, other

    def apply(self, text: str) -> str:
        return HEAD + text[:self.start] + self.other + text[self.end:]

    def room(self) -> str:
        return self.path.relative_to(ROOT / ROOMS).parts[0]

    def row(self) -> str:
        """The rules of the judge are counted apart."""
        return " ".join([self.room(), *(part for part in self.path.parts if part == "rules")])

    def describe(self, text: str) -> str:
        line = text.count("\n", 0, self.start)
        was, now = " ".join(text[self.start:self.end].split()), " ".join(self.other.split())
        whole = " ".join(text.splitlines()[line].split())
        return f"{self.path.relative_to(ROOT)}:{line + 1}: {self.kind}: {was} -> {now}\n    {whole}"


class Draw:
    """Mutants at random, none twice."""

    def __init__(self, files: list[Path], seed: int):
        self.files, self.random, self.deck, self.left = files, random.Random(seed), [], {}

    def kinds_of(self, path: Path) -> dict[str, list[Mutant]]:
        if path not in self.left:
            text = path.read_bytes().decode()
            code = code_of(text)
            found = {kind: [Mutant(path, kind, *place) for place in places(text, code)] for kind, places in KINDS.items()}
            self.left[path] = {kind: mutants for kind, mutants in found.items() if mutants}
        return self.left[path]

    def next(self) -> Mutant | None:
        while True:
            if not self.deck:
                self.deck = [path for path in self.files if self.kinds_of(path)]
                self.random.shuffle(self.deck)
                if not self.deck:
                    return None
            kinds = self.kinds_of(self.deck.pop())
            if not kinds:
                continue
            kind = self.random.choice(sorted(kinds))
            mutant = kinds[kind].pop(self.random.randrange(len(kinds[kind])))
            if not kinds[kind]:
                del kinds[kind]
            return mutant


def refuse(why: str) -> NoReturn:
    print(f"mutants.py: {why}", file=sys.stderr)
    sys.exit(2)


def run(command: list[str], seconds: float) -> int | None:
    """The exit code; None if it was stopped after that time."""
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Bench:
    """The build folder; for each room its unit programs, what they are and how long they take without a mutant."""

    def __init__(self, build: Path, label: bool):
        self.build, self.label, self.known = build, label, {}
        shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True)
        if shown.returncode != 0:
            refuse(f"{build} is not a build folder with tests")
        self.tests = {test["name"]: test.get("command", [""]) for test in json.loads(shown.stdout)["tests"]}

    def commands(self, room: str) -> list[list[str]]:
        """Of the tests unit.ROOM and unit.ROOM_..., those of a unit program."""
        return [command for name, command in self.tests.items() if re.fullmatch(rf"unit\.{room}(_.*)?", name)
                and Path(command[0]).name.startswith("unit")]

    def make(self, *targets: str) -> bool:
        return run(["cmake", "--build", str(self.build), "--target", *targets], BUILD_SECONDS) == 0

    def programs(self, room: str) -> list[str]:
        """Built; nothing if a source does not compile."""
        paths = [Path(command[0]) for command in self.commands(room)]
        if not paths or not self.make(*sorted({path.stem for path in paths})):
            return []
        return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]

    def passes(self, room: str, seconds: float) -> bool:
        return all(run([*command, "--abort-after=1"], seconds) == 0 for command in self.commands(room))

    def learn(self, room: str) -> None:
        if room in self.known:
            return
        programs, start = self.programs(room), time.monotonic()
        if not programs or not self.passes(room, BUILD_SECONDS):
            refuse(f"the unit tests of {room} do not build or fail without a mutant")
        self.known[room] = programs, LEAST_SECONDS + 10 * (time.monotonic() - start)

    def judge(self, room: str) -> str:
        """killed or survived; redrawn if there is no other program to test."""
        known, seconds = self.known[room]
        programs = self.programs(room)
        if not programs or programs == known:
            return "redrawn"
        if not self.passes(room, seconds):
            return "killed"
        if not self.label:
            return "survived"
        if not self.make("all"):
            return "redrawn"
        label = ["ctest", "--test-dir", str(self.build), "-L", "unit", "-j2", "--stop-on-failure"]
        return "survived" if run(label, LABEL_SECONDS) == 0 else "killed"

    def try_one(self, mutant: Mutant) -> str:
        text = mutant.path.read_bytes().decode()
        self.learn(mutant.room())
        try:
            mutant.path.write_bytes(mutant.apply(text).encode())
            return self.judge(mutant.room())
        finally:
            mutant.path.write_bytes(text.encode())


def sources(rooms: list[str], changed: str | None) -> list[Path]:
    found = sorted(path for room in rooms for path in (ROOT / ROOMS / room).rglob("*.cpp"))
    if changed is None:
        return found
    base = subprocess.run(["git", "merge-base", changed, "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if base.returncode != 0:
        refuse(base.stderr.strip())
    names = subprocess.check_output(["git", "diff", "--name-only", base.stdout.strip()], cwd=ROOT, text=True).splitlines()
    return [path for path in found if str(path.relative_to(ROOT)) in names]


def print_table(counts: dict[str, dict[str, list[int]]]) -> None:
    for title, rows in counts.items():
        print(f"\n{title:12} mutants  killed")
        for name, (mutants, killed) in sorted(rows.items()):
            print(f"{name:12} {mutants:7} {killed:7}")
    mutants, killed = (sum(row[i] for row in counts["kind"].values()) for i in (0, 1))
    print(f"\n{killed} of {mutants} killed ({100 * killed // max(mutants, 1)} %)")


def stop(number: int, _frame) -> None:
    sys.exit(128 + number)


def main() -> int:
    known = sorted(path.name for path in (ROOT / "tests/unit").iterdir() if (ROOT / ROOMS / path.name).is_dir())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--room", nargs="+", choices=known, default=known, metavar="ROOM")
    parser.add_argument("--changed", nargs="?", const="origin/main", metavar="BASE")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--label", action="store_true")
    given = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    draw, bench = Draw(sources(given.room, given.changed), given.seed), Bench(given.build.resolve(), given.label)
    print(f"seed {given.seed}, {len(draw.files)} files", flush=True)
    counts: dict[str, dict[str, list[int]]] = {"kind": {}, "room": {}}
    tried, touched = 0, set()
    try:
        while tried < given.count and (mutant := draw.next()):
            text = mutant.path.read_bytes().decode()
            touched.add(mutant.room())
            result = bench.try_one(mutant)
            if result == "redrawn":
                continue
            tried += 1
            print(f"\r{tried} of {given.count}", end="\r", file=sys.stderr, flush=True)
            for title, name in (("kind", mutant.kind), ("room", mutant.row())):
                row = counts[title].setdefault(name, [0, 0])
                row[0] += 1
                row[1] += result == "killed"
            if result == "survived":
                print(mutant.describe(text), flush=True)
    except KeyboardInterrupt:
        print("stopped")
    print_table(counts)
    for room in touched:  # of the restored sources
        bench.programs(room)
    return 0


if __name__ == "__main__":
    sys.exit(main())
