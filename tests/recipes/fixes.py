#!/usr/bin/env python3
# Applies each fix that `ptxguard lint` prints to its recipe and judges the recipe again: the finding must be gone, and no
# error about the same packages may take its place.
#
#   python3 tests/recipes/fixes.py build/bin/ptxguard [RECORDS.jsonl | FOLDER]... [--check] [--verbose]
#
# A folder is a recipe, or contains one in each of its folders. Edits are applied as they are; of a command of pip its pins take the
# place of those in the recipe. What is left to the reader ("pin the release ...") is only counted.
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ALARMS = ("error", "warning")
PIN = re.compile(r"'?([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([A-Za-z0-9.+*!]+)'?")
TEXT_LIMIT = 1_000_000


def recipes_in(source):
    """(name, {file: text})"""
    path = pathlib.Path(source)
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                record = json.loads(line)
                yield record["id"], record["files"]
        return
    inner = [one for one in sorted(path.iterdir()) if one.is_dir() and not one.name.startswith(".")]
    plain = [one for one in path.iterdir() if one.is_file()]
    for folder in ([path] if plain and not inner else inner):
        files = {}
        for file in folder.rglob("*"):
            if file.is_file() and file.stat().st_size < TEXT_LIMIT:
                try:
                    files[str(file.relative_to(folder))] = file.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    pass
        yield folder.name, files


def lint(ptxguard, files):
    with tempfile.TemporaryDirectory(prefix="recipe-") as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([ptxguard, "lint", ".", "--format", "json"], capture_output=True, text=True, cwd=folder,
                              env=dict(os.environ, NO_COLOR="1"), timeout=120)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[:300]}")
    return json.loads(done.stdout)["findings"]


def after_edit(files, edit):
    name = edit["at"]["file"]
    if name not in files:
        return None
    lines = files[name].split("\n")
    at = edit["at"]["line"] - 1
    line = lines[at].encode()
    start, end = edit["at"]["column"] - 1, edit["end_column"] - 1
    lines[at] = (line[:start] + edit["text"].encode() + line[end:]).decode()
    return dict(files, **{name: "\n".join(lines)})


def after_command(files, text):
    """With the pins of the command in place of the recipe's; None if it has none of them."""
    pins = dict(PIN.findall(text))
    index = re.search(r"--(?:extra-)?index-url (\S+)", text)
    changed, found = {}, set()
    for name, old in files.items():
        new = old
        for package, version in pins.items():
            pattern = re.compile(rf"(?<![\w.-]){re.escape(package)}((?:\[[^\]]*\])?)\s*==\s*[\w.+!*]+")
            new, count = pattern.subn(lambda m: f"{package}{m.group(1)}=={version}", new)
            if count:
                found.add(package)
        if index and new != old:
            new = re.sub(r"https://download\.pytorch\.org/whl/\w+", index.group(1), new)
            if index.group(1) not in new:
                if not re.search(r"\.(txt|in)$", name):
                    return None
                new = f"--extra-index-url {index.group(1)}\n{new}"
        changed[name] = new
    return changed if set(pins) and found == set(pins) else None


def words(finding):
    """The packages that a finding is about."""
    return {one.lower() for one in re.findall(r"[A-Za-z][A-Za-z0-9_.-]+", finding["subject"])}


def place(finding):
    at = finding["location"] or {}
    return finding["code"], at.get("file"), at.get("line"), finding["message"]


def is_left(finding, before, after):
    """What the fix leaves: the finding itself, or a new error of its rule about the same packages."""
    old = {place(one) for one in before}
    for one in after:
        if one["level"] not in ALARMS or one["code"] != finding["code"]:
            continue
        if place(one) == place(finding):
            return one
        if one["level"] == "error" and words(one) & words(finding) and place(one) not in old:
            return one
    return None


def try_recipe(ptxguard, name, files, counts, verbose):
    bad, before = [], lint(ptxguard, files)
    for finding in before:
        if finding["level"] not in ALARMS:
            continue
        for number, fix in enumerate(finding["fix"]):
            if fix.get("edit"):
                after = after_edit(files, fix["edit"])
            elif fix["kind"] == "command" and "pip install" in fix["text"]:
                after = after_command(files, fix["text"])
            else:
                after = None
            if after is None or after == files:
                counts["not applied"] += 1
                if verbose and fix["kind"] != "manual":
                    print(f"{name}: not applied: {finding['message'][:90]}: {fix['text']}")
                continue
            counts["applied"] += 1
            left = is_left(finding, before, lint(ptxguard, after))
            if left:
                bad.append(f"{name}: {finding['code']} {finding['message']}\n    fix {number}: {fix['text']}\n    leaves: "
                           f"{left['level']} {left['message']}")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxguard")
    parser.add_argument("sources", nargs="*", default=[pathlib.Path(__file__).with_name("records.jsonl"),
                                                       pathlib.Path(__file__).with_name("written.jsonl")])
    parser.add_argument("--check", action="store_true", help="end with 1 if a fix leaves its error")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    counts, bad = collections.Counter(), []
    for source in arguments.sources:
        for name, files in recipes_in(source):
            bad += try_recipe(os.path.abspath(arguments.ptxguard), name, files, counts, arguments.verbose)
    for one in bad:
        print(one)
    print(f"{counts['applied']} fixes applied, {len(bad)} leave their error; {counts['not applied']} are not commands or edits")
    return 1 if arguments.check and bad else 0


if __name__ == "__main__":
    sys.exit(main())
