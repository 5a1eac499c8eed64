# SPDX-License-Identifier: Apache-2.0
"""What a change adds to the gate, and the summary at its end."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import summary

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("changed", ROOT / ".ci/changed.py")
assert _spec and _spec.loader
changed = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(changed)


def known_tests() -> list[str]:
    """The names of the tests on real parts, as the CMake files give them."""
    real = (ROOT / "tests/real/CMakeLists.txt").read_text()
    ways = (ROOT / "tests/ways/CMakeLists.txt").read_text()
    names = [f"real.{name}" for name in re.findall(r"ptxguard_real_test\(\w+ (\w+)", real)]
    names += [f"real.{name}" for name in re.search(r"foreach\(class ([\w ]+)\)\n  ptxguard_real_test\(test_loader", real)[1].split()]  # type: ignore[index]
    names += re.findall(r"add_test\(NAME (real\.\w+)", real)
    names += [f"ways.{name}" for name in re.findall(r"ptxguard_ways_test\(\w+ (\w+)", ways)]
    names += [f"windows.{name}" for name in ("replay_stories", "same_by_root", "install_and_cmake", "strict_clang")] + ["logs.ordinary"]
    return names + ["cmake.own.bootstrap", "cmake.own.late_faults", "cmake.newest.script", "cmake.3.18.cmake_too_old", "cmake.3.20.script"]


class Areas(unittest.TestCase):
    def test_each_is_a_place_that_exists(self) -> None:
        for area in changed.AREAS:
            self.assertTrue((ROOT / area.start).exists(), area)

    def test_each_adds_tests_that_exist(self) -> None:
        for area in changed.AREAS:
            for test in area.tests:
                self.assertTrue([name for name in known_tests() if re.fullmatch(test, name)], f"{area}: {test}")

    def test_the_classes_of_the_gate_exist(self) -> None:
        self.assertLessEqual({f"real.{name}" for name in changed.core_classes()}, set(known_tests()))

    def test_each_folder_of_the_project_is_covered(self) -> None:
        """By the gate itself or by an area: a new folder has to be put in one of them."""
        tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split("\n")
        if len(tracked) < 2:
            self.skipTest("not a git checkout")
        for folder in sorted({path.split("/")[0] for path in tracked if "/" in path}):
            areas = [area for area in changed.AREAS if area.start.startswith(f"{folder}/")]
            self.assertTrue(areas or folder in GATE_COVERS, f"{folder}/ belongs to no area and not to the gate")


# Folders that the gate itself compiles, runs or reads.
GATE_COVERS = {".ci", ".github", "docs", "examples", "tests", "tools"}


class Added(unittest.TestCase):
    def test_the_module_adds_other_cmakes(self) -> None:
        added = "|".join(changed.added_tests(["cmake/Modules/FindCudaConsistent.cmake"]))
        for name in ("cmake.3.18.cmake_too_old", "cmake.3.20.script", "cmake.newest.script", "cmake.own.late_faults"):
            self.assertRegex(name, f"^({added})$")
        for name in ("cmake.own.script", "cmake.own.bootstrap", "cmake.newest.narrow"):  # narrow: with every CMake in `all`
            self.assertNotRegex(name, f"^({added})$")

    def test_what_compiles_ptxguard_adds_bootstrap(self) -> None:
        for file in ("cmake/Rooms.cmake", "CMakeLists.txt", "cmake/Modules/CudaConsistent/bootstrap.cmake"):
            self.assertIn("cmake[.]own[.]bootstrap", changed.added_tests([file]), file)

    def test_the_direct_ones_run_first(self) -> None:
        added = changed.added_tests(["templates/ci/gitlab.yml", "cmake/Modules/FindCudaConsistent.cmake", "tools/ptxguard/load/trace.cpp"])
        proofs = list(dict.fromkeys(group.proof for group in added.values()))
        self.assertEqual(proofs, ["real loaders", changed.SLOW_PROOF, changed.OTHER_CMAKES_PROOF, "forms for CI"])

    def test_a_way_in_adds_its_own_tests(self) -> None:
        self.assertEqual(list(changed.added_tests(["templates/ci/gitlab.yml", "action.yml"])), ["ways[.](Ci)"])
        self.assertEqual(list(changed.added_tests(["templates/conda/recipe.yaml"])), ["ways[.](Templates|PythonBuilds)"])
        self.assertEqual(list(changed.added_tests(["tools/dev/harvest.py"])), [])

    def test_tables_add_the_comparison_with_tools_and_their_code_does_not(self) -> None:
        self.assertIn("facts_against", "".join(changed.added_tests(["tools/ptxguard/facts/cuda/13.0.json"])))
        self.assertEqual(changed.added_tests(["tools/ptxguard/facts/cuda.cpp"]), {})

    def test_a_rule_that_the_gate_has_adds_nothing(self) -> None:
        self.assertEqual(changed.added_tests(["tools/ptxguard/judge/rules/CC101_variable_names_no_toolkit/rule.cpp"]), {})

    def test_a_rule_that_the_gate_lacks_adds_one_class(self) -> None:
        lacking = [code for code in all_codes() if changed.test_of_rule(code)]
        self.assertTrue(lacking)
        added = changed.added_tests([f"tools/ptxguard/judge/rules/{lacking[0]}_x/rule.cpp"])
        self.assertEqual(len(added), 1)
        self.assertIn(next(iter(added)).replace("[.]", "."), known_tests())

    def test_the_code_of_windows_adds_its_tests_and_that_of_posix_does_not(self) -> None:
        for file in ("host/registry_windows.cpp", "load/trace_windows_search.cpp", "load/dotnet.cpp"):
            self.assertIn("windows", "".join(changed.added_tests([f"tools/ptxguard/{file}"])), file)
        for file in ("host/process_posix.cpp", "load/trace_linux.cpp"):
            self.assertNotIn("windows", "".join(changed.added_tests([f"tools/ptxguard/{file}"])), file)

    def test_messages_add_the_logs_of_ordinary_work(self) -> None:
        self.assertIn("logs[.]ordinary", changed.added_tests(["tools/ptxguard/messages/driver.cpp"]))

    def test_documents_add_nothing(self) -> None:
        self.assertEqual(changed.added_tests(["docs/install.md", "README.md", "tests/unit/model/json_test.cpp"]), {})


def all_codes() -> list[str]:
    return sorted(path.name[:5] for path in (ROOT / "tools/ptxguard/judge/rules").iterdir() if path.is_dir())


class Base(unittest.TestCase):
    """In a repository of its own."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) if hasattr(self, "enterContext") else None
        if self.folder is None:
            holder = tempfile.TemporaryDirectory()
            self.addCleanup(holder.cleanup)
            self.folder = Path(holder.name)
        patch = mock.patch.object(changed, "ROOT", self.folder)
        patch.start()
        self.addCleanup(patch.stop)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("PTXGUARD_BASE", None)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, seconds: int = 0) -> str:
        names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {f"GIT_{who}_DATE": f"{1700000000 + seconds} +0000" for who in ("AUTHOR", "COMMITTER")}
        done = subprocess.run(["git", *arguments], cwd=self.folder, env={**os.environ, **names, **dates}, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, name: str, seconds: int) -> str:
        (self.folder / name).write_text(name)  # type: ignore[operator]
        self.git("add", name)
        self.git("commit", "--quiet", "-m", name, seconds=seconds)
        return self.git("rev-parse", "HEAD")

    def test_on_main_the_last_three_hours(self) -> None:
        self.commit("old", 0)
        self.commit("first", 10 * 3600)
        self.commit("second", 11 * 3600)
        self.assertEqual(changed.changed_files(), ["first", "second"])

    def test_on_a_branch_what_it_adds(self) -> None:
        main = self.commit("old", 0)
        self.git("update-ref", "refs/remotes/origin/main", main)
        self.commit("new", 60)
        self.assertEqual(changed.changed_files(), ["new"])

    def test_a_named_base_decides(self) -> None:
        self.commit("old", 0)
        first = self.commit("first", 10 * 3600)
        self.commit("second", 11 * 3600)
        with mock.patch.dict(os.environ, {"PTXGUARD_BASE": first}):
            self.assertEqual(changed.changed_files(), ["second"])

    def test_edits_that_are_not_committed_count(self) -> None:
        self.commit("old", 0)
        self.commit("committed", 10 * 3600)
        (self.folder / "old").write_text("edited")  # type: ignore[operator]
        (self.folder / "new").write_text("")  # type: ignore[operator]
        self.assertEqual(changed.changed_files(), ["committed", "new", "old"])

    def test_without_history_nothing_is_added(self) -> None:
        self.commit("only", 0)
        self.assertEqual(changed.changed_files(), [])


JUNIT = """<testsuite>
<testcase name="real.A" time="2.5" status="run"><system-out>test_x (m.A) ... skipped 'no GPU here'
test_y (m.A) ... ok</system-out></testcase>
<testcase name="parts.b" time="0.5" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>parts: skip: b: no network
</system-out></testcase>
<testcase name="unit.c" time="9" status="fail"><failure message=""/><system-out/></testcase>
</testsuite>"""


class Summary(unittest.TestCase):
    def run_on(self, **files: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / f"{name}.xml").write_text(text)
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                code = summary.main(Path(folder))
        return code, output.getvalue()

    def test_skips_times_and_counts(self) -> None:
        code, text = self.run_on(core=JUNIT)
        self.assertEqual(code, 0)
        for line in ("core: real.A: test_x: no GPU here", "core: parts.b: parts: skip: b: no network", "1 passed, 1 failed, 1 skipped"):
            self.assertIn(line, text)
        self.assertLess(text.index("9.0 s  core: unit.c"), text.index("2.5 s  core: real.A"))

    def test_a_run_without_tests_is_an_error(self) -> None:
        self.assertEqual(self.run_on()[0], 1)


if __name__ == "__main__":
    unittest.main()
