# tools/dev/release.py: each step on a small tree and on made-up wheels, and what the workflow that runs them may use.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib.util
import re
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("release", ROOT / "tools/dev/release.py")
release = importlib.util.module_from_spec(SPEC)  # type: ignore[arg-type]
SPEC.loader.exec_module(release)  # type: ignore[union-attr]
PLATFORMS = ["manylinux_2_17_x86_64", "win_amd64"]


class Check(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write("CMakeLists.txt", "project(CudaConsistent VERSION 1.2.3 LANGUAGES NONE)")
        self.write("CHANGELOG.md", "# Changelog\n\n## 1.2.3 (2026-11-27)\n\n- a thing\n\n## 1.2.2 (2026-01-01)\n\n- another\n")
        self.write("SECURITY.md", "| 1.2.x | yes |\n")

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def test_accepts_a_tree_that_is_ready(self) -> None:
        self.assertEqual(release.check(self.root, "v1.2.3"), [])
        self.assertEqual(release.check(self.root, ""), [])
        self.assertEqual(release.section_of_version(self.root)[1], "- a thing")

    def test_refuses_another_tag(self) -> None:
        self.assertEqual(release.check(self.root, "v1.2.4"), ["the tag v1.2.4 is not v1.2.3, the version in CMakeLists.txt"])

    def test_refuses_a_changelog_that_is_not_of_this_release(self) -> None:
        self.write("CHANGELOG.md", "## Unreleased\n\n- more\n\n## 1.2.30 (2026-11-27)\n\n- other\n")
        self.assertEqual(release.check(self.root, ""), ["CHANGELOG.md has no section '## 1.2.3 (YYYY-MM-DD)'",
                                                        "CHANGELOG.md still has changes under 'Unreleased'"])
        self.write("CHANGELOG.md", "## 1.2.3 (not released yet)\n\n- more\n")
        self.assertRegex(release.check(self.root, "")[0], "has no date")

    def test_refuses_a_changelog_that_is_too_long(self) -> None:
        self.write("CHANGELOG.md", "## 1.2.3 (2026-11-27)\n\n" + "- a thing\n" * 81)
        self.assertRegex(release.check(self.root, "")[0], "more than 80 lines about 1.2.3")

    def test_refuses_a_release_that_gets_no_fixes(self) -> None:
        self.write("SECURITY.md", "| 1.1.x | yes |\n")
        self.assertEqual(release.check(self.root, ""), ["SECURITY.md does not list 1.2.x as supported"])

    def test_knows_this_project(self) -> None:
        self.assertRegex(release.version(), r"^\d+\.\d+\.\d+$")
        self.assertIn("win_amd64", release.platforms())
        self.assertEqual([one for one in release.check(ROOT, "") if "SECURITY" in one], [])


class Dist(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dist = Path(self.folder.name)
        self.number = release.version()
        for tag in PLATFORMS:
            self.wheel(tag)
        (self.dist / f"ptxguard-{self.number}.tar.gz").write_bytes(b"sources")

    def wheel(self, tag: str) -> None:
        older = "manylinux2014_x86_64." if tag.startswith("manylinux") else ""
        base = f"ptxguard-{self.number}"
        with zipfile.ZipFile(self.dist / f"{base}-py3-none-{older}{tag}.whl", "w") as archive:
            archive.writestr(f"{base}.data/scripts/ptxguard{'.exe' if tag.startswith('win') else ''}", f"program {tag}")
            archive.writestr(f"{base}.dist-info/sboms/ptxguard.cdx.json", "{}")

    def test_puts_programs_sboms_and_checksums_beside_the_wheels(self) -> None:
        self.assertEqual(release.finish(self.dist), [])
        self.assertEqual(release.verify(self.dist, PLATFORMS), [])
        exe = self.dist / f"ptxguard-{self.number}-win_amd64.exe"
        self.assertEqual(exe.read_text(), "program win_amd64")
        self.assertTrue((self.dist / f"ptxguard-{self.number}-manylinux_2_17_x86_64").stat().st_mode & 0o100)
        self.assertEqual(release.finish(self.dist), [], "a second time")
        self.assertEqual(release.verify(self.dist, PLATFORMS), [])

    def test_reports_what_is_missing_changed_or_foreign(self) -> None:
        release.finish(self.dist)
        (self.dist / f"ptxguard-{self.number}.tar.gz").write_bytes(b"other sources")
        (self.dist / "notes.txt").write_text("x")
        wrong = "\n".join(release.verify(self.dist, [*PLATFORMS, "musllinux_1_1_x86_64"]))
        self.assertIn(f"0 wheels of {self.number} for musllinux_1_1_x86_64", wrong)
        self.assertIn("notes.txt does not belong to the release", wrong)
        self.assertIn(f"ptxguard-{self.number}.tar.gz is not the file that SHA256SUMS lists", wrong)

    def test_reports_a_wheel_without_its_program(self) -> None:
        wheel = next(self.dist.glob("*win_amd64.whl"))
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("x", "")
        self.assertEqual(len(release.finish(self.dist)), 2)


class Workflows(unittest.TestCase):
    def test_names_each_action_by_its_commit(self) -> None:
        for workflow in (ROOT / ".github/workflows").glob("*.yml"):
            for line in workflow.read_text(encoding="utf-8").splitlines():
                used = re.search(r"\buses: (\S+)(.*)", line)
                if used and used[1] != "./":
                    self.assertRegex(used[1] + used[2], r"^[\w/-]+@[0-9a-f]{40}  # v\d", f"{workflow.name}: {line.strip()}")

    def test_gives_rights_only_to_the_jobs_that_publish(self) -> None:
        text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
        head, listed = text.split("\njobs:\n")
        jobs = re.split(r"^  (?=\w+:$)", listed, flags=re.MULTILINE)[1:]
        self.assertIn("permissions: {contents: read}", head)
        writing = [job.split(":")[0] for job in jobs if "write" in job]
        self.assertEqual(writing, ["publish", "pages"])
        self.assertNotIn("secrets.", text)

    def test_gives_what_the_quick_start_names(self) -> None:
        text = (ROOT / ".github/workflows/windows.yml").read_text(encoding="utf-8")
        for words in ("workflow_dispatch", "{name: windows, path:", "wheels.py --to dist win_amd64", "release.py finish dist", "dist\\nunit"):
            self.assertIn(words, text)

    def test_uses_scripts_and_options_that_exist(self) -> None:
        text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
        for script in set(re.findall(r"tools/dev/[\w./]+", text)):
            self.assertTrue((ROOT / script).is_file(), script)


if __name__ == "__main__":
    unittest.main()
