# tools/dev/site.py: every page is there, every link leads somewhere, and the search finds error texts. The site itself is built
# where the generator is installed (tools/dev/site/requirements.txt), for this Python or that of PTXGUARD_SITE_PYTHON.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/dev/site.py"
PYTHON = os.environ.get("PTXGUARD_SITE_PYTHON", sys.executable)
SPEC = importlib.util.spec_from_file_location("site_of_docs", SCRIPT)
site = importlib.util.module_from_spec(SPEC)  # type: ignore[arg-type]
SPEC.loader.exec_module(site)  # type: ignore[union-attr]


def has_generator() -> bool:
    return subprocess.run([PYTHON, "-c", "import mkdocs, material"], capture_output=True, check=False).returncode == 0


class Pages(unittest.TestCase):
    def test_lays_out_every_page_without_a_broken_link(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            pages, nav = site.lay_out(Path(folder))
            self.assertEqual(pages.broken, [])
            for page in ROOT.glob("docs/**/*.md"):
                self.assertTrue((Path(folder) / page.relative_to(ROOT)).is_file(), page)
            listed = json.dumps(nav)
            for page in [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/errors/*.md"), *ROOT.glob("examples/*/README.md")]:
                self.assertIn(f'"{page.relative_to(ROOT)}"', listed)

    def test_gives_each_rule_a_page_with_its_error_texts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            rules = site.Pages(Path(folder)).add_rules()
            self.assertGreater(len(rules), 70)
            text = (Path(folder) / "rules/CC604_framework_cpu_only.md").read_text(encoding="utf-8")
        self.assertTrue(text.startswith("# CC604 framework_cpu_only\n"), text[:80])
        self.assertIn("``Torch not compiled with CUDA enabled``", text)
        self.assertNotIn("\narea:", text)

    def test_reports_a_link_to_a_file_that_does_not_exist(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            pages = site.Pages(Path(folder))
            pages.linked("see [this](gone.md), [that](rules.md) and `[no link](gone.md)`", ROOT / "docs/README.md")
            self.assertEqual(pages.broken, ["docs/README.md: gone.md does not exist"])

    def test_leads_a_link_to_a_folder_to_its_page(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            pages = site.Pages(Path(folder))
            text = pages.linked("[a](../templates) [b](../templates/slurm) [c](https://example.org/x)", ROOT / "docs/README.md")
            self.assertEqual(text, "[a](../templates/README.md) [b](../templates/slurm/index.md) [c](https://example.org/x)")
            self.assertTrue((Path(folder) / "templates/slurm/index.md").is_file())


@unittest.skipUnless(has_generator(), "mkdocs is not installed (tools/dev/site/requirements.txt)")
class Site(unittest.TestCase):
    def test_builds_and_finds_error_texts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PYTHON, "-B", SCRIPT, "--to", folder, "--address", "https://example.org/ptxguard"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            index = json.loads((Path(folder) / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
            for text, place in (("no kernel image is available", "docs/errors/no-kernel-image/"),
                                ("Torch not compiled with CUDA enabled", "rules/CC604_framework_cpu_only/")):
                found = [page["location"] for page in index if text in page["title"] + page["text"]]
                self.assertTrue(any(one.startswith(place) for one in found), f"{text}: {found}")
            for rule in (ROOT / "tools/ptxguard/judge/rules").glob("CC*"):
                self.assertTrue((Path(folder) / "rules" / rule.name / "index.html").is_file(), rule.name)
            pages = [page.read_text(encoding="utf-8") for page in Path(folder).rglob("*.html")]
        foreign = [page for page in pages if 'src="http' in page or '<link rel="stylesheet" href="http' in page]
        self.assertEqual(foreign, [], "a page loads something from another server")


if __name__ == "__main__":
    unittest.main()
