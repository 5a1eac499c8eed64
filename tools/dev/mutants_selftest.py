# SPDX-License-Identifier: Apache-2.0
"""Tests of mutants.py on a tree without C++: what builds and tests there is a shell script."""
from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import mutants

HERE = Path(__file__).resolve().parent
SOURCE = """\
// if (comment) return 1;
#if 7 < 8
bool fits(int a, int b) {
    if (a < b) return "a && b";
    if (const int c = 0x1f; a && c) {
        call(a, b, ')');
    } else if (b) return;
    add(findings, Level::note, 3.5, R"(4 < 5)");
}
"""
# Copied to the folder of programs it is a unit program: it fails unless the tree's source has each line of `killed`.
PROGRAM = """\
#!/bin/sh
cd "{tree}" && sleep {sleep} && grep -qF 'a < b' {source} && grep -qF ' && c' {source} && grep -qF 0x1f {source}
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(fake NONE)
set(program "${CMAKE_BINARY_DIR}/bin/unit_model")
add_custom_command(OUTPUT "${program}" DEPENDS tools/ptxguard/model/one.cpp COMMAND sh compile.sh "${program}"
                   WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" VERBATIM)
add_custom_target(unit_model DEPENDS "${program}")
add_custom_target(rest ALL)
add_dependencies(rest unit_model)
enable_testing()
add_test(NAME unit.model COMMAND "${program}")
add_test(NAME whole COMMAND grep -qF "Level::note" tools/ptxguard/model/one.cpp WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
set_tests_properties(whole PROPERTIES LABELS unit)
"""


def lines_with(kind: str) -> list[str]:
    code = mutants.code_of(SOURCE)
    changed = []
    for place in mutants.KINDS[kind](SOURCE, code):
        after = mutants.Mutant(Path(), kind, *place).apply(SOURCE)
        assert after.startswith(mutants.HEAD) and after.endswith("}\n")
        after = after[len(mutants.HEAD):]
        assert after.count("\n") == SOURCE.count("\n")
        changed += [new.strip() for old, new in zip(SOURCE.splitlines(), after.splitlines()) if old != new]
    return changed


class Kinds(unittest.TestCase):
    def test_each_kind_changes_code_and_nothing_else(self) -> None:
        for kind, expected in {
            "negate": ['if (!(a < b)) return "a && b";', "if (const int c = 0x1f;!(a && c)) {", "} else if (!(b)) return;"],
            "and-or": ["if (const int c = 0x1f; a || c) {"],
            "drop exit": [";", "} else ;"],
            "boundary": ['if (a <= b) return "a && b";'],
            "constant": ["if (const int c = 0x1e; a && c) {", "if (const int c = 0x20; a && c) {"],
            "swap": ["call(b, a, ')');", 'add(Level::note, findings, 3.5, R"(4 < 5)");'],
            "level": [f"add(findings, Level::{level}, 3.5, R\"(4 < 5)\");" for level in ("error", "warning", "unknown")],
        }.items():
            with self.subTest(kind):
                self.assertEqual(sorted(lines_with(kind)), sorted(expected))
        self.assertEqual(len(mutants.KINDS), 7)

    def test_the_draw_takes_each_mutant_once_and_each_file_before_any_comes_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("a.cpp", "b.cpp")]
            for file in files:
                file.write_text(SOURCE)
            draws = [mutants.Draw(files, seed) for seed in (1, 1, 2)]
            all_of = [list(iter(draw.next, None)) for draw in draws]
        keys = [[(one.path, one.kind, one.start, one.other) for one in drawn] for drawn in all_of]
        self.assertEqual(len(set(keys[0])), len(keys[0]))
        self.assertEqual(keys[0], keys[1])
        self.assertNotEqual(keys[0], keys[2])
        self.assertEqual(set(keys[0]), set(keys[2]))
        for i in range(0, len(files), 2):
            self.assertEqual({key[0] for key in keys[0][i:i + 2]}, set(files))


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.tree)
        self.source = self.tree / "tools/ptxguard/model/one.cpp"
        for folder in (self.source.parent, self.tree / "tests/unit/model", self.tree / "tools/dev"):
            folder.mkdir(parents=True)
        shutil.copy(HERE / "mutants.py", self.tree / "tools/dev")
        self.source.write_text(SOURCE)
        self.lay(0)
        for step in (["-S", self.tree, "-B", self.tree / "build"], ["--build", self.tree / "build"]):
            subprocess.run(["cmake", *step], check=True, stdout=subprocess.DEVNULL)

    def lay(self, sleep: int) -> None:
        """The program differs with the source, as a compiled one does; 0x20 does not compile, and Level is not looked at."""
        program = PROGRAM.format(tree=self.tree, sleep=sleep, source=self.source.relative_to(self.tree))
        (self.tree / "compile.sh").write_text(f"""\
mkdir -p build/bin && ! grep -q 0x20 "{self.source}" || exit 1
cat >"$1" <<'END'
{program}exit
END
grep -v '^#' "{self.source}" | sed 's/Level::error/Level::note/' >>"$1" && chmod +x "$1"
""")
        (self.tree / "CMakeLists.txt").write_text(CMAKE)

    def command(self, *more: str) -> list[str]:
        return [sys.executable, "-B", str(self.tree / "tools/dev/mutants.py"), "--build", str(self.tree / "build"), "--seed", "1", *more]

    def run_all(self, *more: str) -> str:
        done = subprocess.run(self.command("--count", "100", *more), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.source.read_text(), SOURCE)
        return done.stdout

    def test_survivors_have_their_place_and_the_counts_their_kind(self) -> None:
        output = self.run_all()
        self.assertIn("tools/ptxguard/model/one.cpp:6: swap: a, b -> b, a\n    call(a, b, ')');\n", output)
        self.assertIn("one.cpp:4: negate: a < b -> !(a < b)", output)
        self.assertNotIn("one.cpp:4: boundary", output)  # killed
        self.assertNotIn("0x20", output)  # did not compile
        self.assertNotIn("note -> error", output)  # the same program
        self.assertRegex(output, r"boundary +1 +1\n")
        self.assertRegex(output, r"level +2 +0\n")
        self.assertRegex(output, r"model +12 +\d\n")

    def test_the_label_decides_about_survivors(self) -> None:
        self.assertRegex(self.run_all("--label"), r"level +2 +2\n")

    def test_changed_takes_the_files_of_the_change(self) -> None:
        git = ["git", "-C", str(self.tree), "-c", "user.name=n", "-c", "user.email=e"]
        for step in (["init", "-q"], ["add", "tools"], ["commit", "-q", "-m", "one"]):
            subprocess.run(git + step, check=True)
        self.assertIn("0 files", self.run_all("--changed", "HEAD"))
        subprocess.run(git + ["commit", "-q", "--allow-empty", "-m", "two"], check=True)
        self.source.write_text(SOURCE + "\n")
        done = subprocess.run(self.command("--count", "1", "--changed", "HEAD"), capture_output=True, text=True)
        self.assertIn("1 files", done.stdout)

    def test_a_program_that_fails_without_a_mutant_measures_nothing(self) -> None:
        self.source.write_text(SOURCE.replace("a < b", "b > a"))
        done = subprocess.run(self.command(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the unit tests of model do not build or fail without a mutant", done.stderr)

    def test_the_source_is_restored_when_it_is_stopped(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.lay(1)
            process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 30
            while self.source.read_text() == SOURCE and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(number)
            process.wait(30)
            self.assertEqual(self.source.read_text(), SOURCE)


if __name__ == "__main__":
    unittest.main()
