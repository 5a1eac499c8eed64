# Runs each command (```sh) that docs/ and README.md show and compares its output with the block below it; commands that need
# a network, a toolkit or a build are ```bash. PTXGUARD_UPDATE_GOLDEN=1 writes the blocks again. A line "..." stands for lines that
# are cut. A block below "From examples/NAME" is not run here: it has to be in that README, whose outputs
# tests/real/test_examples.py compares.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?P<before>[^\n]*\n)```sh\n(?P<command>.*?)```\n(?P<open>```(?:text|json)\n)(?P<shown>.*?)```\n", re.S)
WRAPPER = """#!/bin/sh
command=$1; shift
case $command in
  check) exec '{exe}' check "$@" --isolated --root '{empty}' --os linux ;;
  plan|inspect|matrix|lint) exec '{exe}' $command "$@" --isolated ;;
  *) exec '{exe}' $command "$@" ;;
esac
"""


def is_shown(shown: list[str], actual: list[str]) -> bool:
    """Do the shown lines come one after the other, except where "..." cuts some?"""
    if not shown:
        return not actual
    if shown[0] == "...":
        return any(is_shown(shown[1:], actual[start:]) for start in range(len(actual) + 1))
    return bool(actual) and shown[0] == actual[0].rstrip() and is_shown(shown[1:], actual[1:])


def output_of(command: str, folder: Path, tools: Path) -> list[str]:
    env = {"PATH": f"{tools}:/usr/bin:/bin", "COLUMNS": "100", "HOME": str(tools), "LANG": "C.UTF-8"}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)
    return (done.stdout + done.stderr).rstrip("\n").splitlines()


def check_page(page: Path, tools: Path) -> list[str]:
    text, wrong = page.read_text(), []

    def one(block: re.Match) -> str:
        shown = block["shown"].rstrip("\n").splitlines()
        example = re.search(r"examples/(\w+)/README.md", block["before"])
        if example:
            readme = (ROOT / "examples" / example[1] / "README.md").read_text()
            if block["command"] not in readme or any(line != "..." and line not in readme for line in shown):
                wrong.append(f"{page.name}: not in {example[1]}/README.md:\n{block['command']}{block['shown']}")
            return block[0]
        if re.search(r"\|\s*jq\b", block["command"]) and not shutil.which("jq"):
            print(f"{page.name}: no jq here, not run: {block['command']}", end="")
            return block[0]
        actual = output_of(block["command"], page.parent, tools)
        if is_shown(shown, actual):
            return block[0]
        if not os.environ.get("PTXGUARD_UPDATE_GOLDEN"):
            wrong.append(f"{page.name}: {block['command']}shows\n{block['shown']}but prints\n" + "\n".join(actual))
        body = "\n".join(line.rstrip() for line in actual)
        return f"{block['before']}```sh\n{block['command']}```\n{block['open']}{body}\n```\n"

    changed = BLOCK.sub(one, text)
    if os.environ.get("PTXGUARD_UPDATE_GOLDEN") and changed != text:
        page.write_text(changed)
    if text.count("```sh\n") != len(BLOCK.findall(text)):
        wrong.append(f"{page.name}: a command has no output below it")
    return wrong


def main() -> int:
    exe = os.path.abspath(sys.argv[1])
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
    with tempfile.TemporaryDirectory() as folder:
        tools, empty = Path(folder) / "bin", Path(folder) / "empty"
        tools.mkdir()
        empty.mkdir()
        (tools / "ptxguard").write_text(WRAPPER.format(exe=exe, empty=empty))
        (tools / "ptxguard").chmod(0o755)
        wrong = [problem for page in pages for problem in check_page(page, tools)]
    print("\n\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
