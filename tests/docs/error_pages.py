# Each error text that a page of docs/errors/ is about leads `ptxguard explain` to a cause: a rule that the page names,
# and the page itself. What docs/errors/README.md lists leads to its page.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

PTXGUARD = sys.argv.pop(1)
PAGES = Path(__file__).resolve().parents[2] / "docs/errors"


def explain(text: str, *options: str) -> str:
    done = subprocess.run([PTXGUARD, "explain", *options, "--", text], capture_output=True, text=True, timeout=60, cwd=PAGES.parent)
    assert done.returncode in (0, 1), f"{text}: {done.stderr}"
    return done.stdout


def quoted(text: str) -> list[str]:
    return [" ".join(one.split()) for one in re.findall(r"`([^`]+)`", text)]


def texts_of(page: Path) -> list[str]:
    """Those of the title, between commas, and the quoted ones below it."""
    title, below = page.read_text().split("\n\n")[:2]
    return [one.strip() for one in title.lstrip("# ").split(",")] + quoted(below)


class ErrorPages(unittest.TestCase):
    def test_each_text_of_a_page_leads_to_a_cause_that_the_page_names(self) -> None:
        count = 0
        for page in sorted(PAGES.glob("*.md")):
            if page.name == "README.md":
                continue
            named = set(re.findall(r"CC\d{3}", page.read_text()))
            for text in texts_of(page):
                with self.subTest(page=page.stem, text=text):
                    answer = explain(text)
                    causes = {one["code"] for one in json.loads(explain(text, "--format", "json"))["diagnoses"]}
                    self.assertTrue(causes & named, f"{causes} on a page about {named}\n{answer}")
                    self.assertRegex(answer, rf"more +ptxguard explain CC\d+ {page.stem}\n")
                    count += 1
        self.assertGreaterEqual(count, 65)

    def test_each_text_of_the_list_leads_to_its_page(self) -> None:
        rows = [line for line in (PAGES / "README.md").read_text().splitlines() if line.startswith("| `")]
        self.assertGreaterEqual(len(rows), 16)
        for row in rows:
            texts, page = row.strip("| ").split(" | ")
            name = re.fullmatch(r"\[(.*)\.md\]\(\1\.md\)", page)[1]
            for text in quoted(texts):
                with self.subTest(text=text):
                    self.assertRegex(explain(text), rf"ptxguard explain (CC\d+ )?{name}\n")


if __name__ == "__main__":
    unittest.main()
