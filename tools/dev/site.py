#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation as static pages: docs/, the rule pages, the READMEs of examples and templates, and what they link to.

    site.py --to SITE [--address URL]   builds it (needs tools/dev/site/requirements.txt); a broken link or anchor is an error
    site.py --pages FOLDER              only lays out the pages, and reports links to files that do not exist

The page of a rule is SITE/rules/CC604_framework_cpu_only/: build ptxguard with -DPTXGUARD_RULE_PAGES=URL/rules for links to it.
Exit status: 0 built, 1 a link is broken or the generator complains, 2 the generator is not installed.
"""
from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "tools/dev/site/mkdocs.yml"
RULES = ROOT / "tools/ptxguard/judge/rules"
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^ *```.*?^ *```|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
QUICK_STARTS = ("quick-start-222", "quick-start-cmake", "quick-start-cluster", "quick-start-windows")
REFERENCE = ("configuration", "ci", "json", "explain", "tables", "gpu", "fatbin")


def rule_page(folder: Path) -> str:
    """The page without its front matter, with the error texts that it answers: the search finds them."""
    _, front, text = (folder / "rule.md").read_text(encoding="utf-8").split("---\n", 2)
    values = dict(line.split(": ", 1) for line in front.splitlines() if re.match(r"[a-z]+: \S", line))
    texts = re.findall(r'^ +- "(.*)"$', front, re.MULTILINE)
    head = f"# {values['code']} {values['name']}\n\nLevel: {values['level']}.\n\n"
    shown = "".join("- ``" + one.replace('\\"', '"').replace("\\\\", "\\") + "``\n" for one in texts)
    return head + text.strip() + "\n" + (f"\n## Error texts\n\n{shown}" if texts else "")


def listing(folder: Path) -> str:
    """A folder that has no README."""
    rows = []
    for entry in sorted(folder.iterdir()):
        target = entry.name if entry.is_file() else f"{entry.name}/README.md" if (entry / "README.md").is_file() else ""
        rows.append(f"- [{entry.name}]({target})" if target else f"- {entry.name}")
    return f"# {folder.name}\n\n" + "\n".join(rows) + "\n"


class Pages:
    """The pages in `to`, below the same paths as in the repository, so that relative links keep their meaning."""

    def __init__(self, to: Path) -> None:
        self.to = to
        self.broken: list[str] = []
        self.seen: set[Path] = set()

    def add(self, source: Path) -> None:
        if source in self.seen:
            return
        self.seen.add(source)
        path = self.to / source.relative_to(ROOT)
        if source.is_dir():
            path /= "index.md"
            self.write(path, self.linked(listing(source), source / "index.md"))
        elif source.suffix == ".md":
            self.write(path, self.linked(source.read_text(encoding="utf-8"), source))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, path)

    @staticmethod
    def write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def linked(self, text: str, source: Path) -> str:
        """Adds what the links name; a link to a folder leads to its README or its list of files."""
        parts = FENCE.split(text)
        return "".join(part if index % 2 else LINK.sub(lambda link: self.link(link, source), part) for index, part in enumerate(parts))

    def link(self, link: re.Match[str], source: Path) -> str:
        words, target = link[1], link[2]
        path, hash_sign, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return link[0]
        named = Path(os.path.normpath(source.parent / path))
        if not named.exists() or ROOT not in (named, *named.parents):
            self.broken.append(f"{source.relative_to(ROOT)}: {target} does not exist")
            return link[0]
        if named.is_dir():
            readme = named / "README.md"
            self.add(readme if readme.is_file() else named)
            path = path.rstrip("/") + ("/README.md" if readme.is_file() else "/index.md")
        else:
            self.add(named)
        return f"[{words}]({path}{hash_sign}{anchor})"

    def add_rules(self) -> list[str]:
        names = []
        for folder in sorted(RULES.glob("CC*")):
            self.write(self.to / "rules" / f"{folder.name}.md", rule_page(folder))
            names.append(folder.name)
        rows = "".join(f"- [{name.replace('_', ' ', 1)}]({name}.md)\n" for name in names)
        self.write(self.to / "rules/index.md", "# Rules\n\nWhat each rule checks, and how to mend what it reports ([overview](../docs/rules.md)).\n\n" + rows)
        return names


def navigation(to: Path, rules: list[str]) -> list[object]:
    errors = sorted(path.name for path in (to / "docs/errors").glob("*.md") if path.name != "README.md")
    examples = sorted(path.parent.name for path in (to / "examples").glob("*/README.md"))
    return [
        {"Start": ["README.md", "docs/install.md", *(f"docs/{name}.md" for name in QUICK_STARTS), "docs/README.md", "CHANGELOG.md"]},
        {"Error texts": ["docs/errors/README.md", *(f"docs/errors/{name}" for name in errors)]},
        {"Rules": ["rules/index.md", "docs/rules.md", *({name.replace("_", " ", 1): f"rules/{name}.md"} for name in rules)]},
        {"Reference": [*(f"docs/{name}.md" for name in REFERENCE), "templates/README.md"]},
        {"Known failures": [f"examples/{name}/README.md" for name in examples]},
        {"The project": [name for name in ("CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md") if (to / name).is_file()]},
    ]


def lay_out(to: Path) -> tuple[Pages, list[object]]:
    pages = Pages(to)
    for source in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "templates/README.md"):
        if (ROOT / source).is_file():
            pages.add(ROOT / source)
    for folder in ("docs", "examples"):
        for source in sorted((ROOT / folder).rglob("*.md")):
            if folder == "docs" or source.name == "README.md" and source.parent.parent == ROOT / folder:
                pages.add(source)
    return pages, navigation(to, pages.add_rules())


def build(pages: Path, nav: list[object], to: Path, address: str) -> int:
    import yaml  # of mkdocs

    settings = SETTINGS.read_text(encoding="utf-8")
    added = {"docs_dir": str(pages), "site_dir": str(to.resolve()), "nav": nav}
    if address:
        added["site_url"] = address.rstrip("/") + "/"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mkdocs.yml"
        file.write_text(settings + yaml.safe_dump(added, sort_keys=False, allow_unicode=True), encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--quiet", "--config-file", str(file)],
                              env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False)
    return 1 if done.returncode else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="builds the documentation as a site")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", type=Path, metavar="SITE")
    what.add_argument("--pages", type=Path, metavar="FOLDER")
    parser.add_argument("--address", default="", metavar="URL", help="where the site will be")
    options = parser.parse_args()
    if options.to and not all(importlib.util.find_spec(name) for name in ("mkdocs", "material")):
        print(f"site.py: the generator is not installed: {sys.executable} -m pip install --require-hashes -r tools/dev/site/requirements.txt", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        pages, nav = lay_out(options.pages or Path(folder))
        for one in pages.broken:
            print(f"site.py: {one}", file=sys.stderr)
        if pages.broken:
            return 1
        return build(pages.to, nav, options.to, options.address) if options.to else 0


if __name__ == "__main__":
    sys.exit(main())
