#!/usr/bin/env python3
# Runs `ptxguard lint` on labelled recipes and prints two numbers: of the inconsistent ones the share with a finding for the
# stated conflict, of the consistent ones the share with an error or a warning.
#
#   python3 tests/recipes/measure.py build/bin/ptxguard [RECORDS.jsonl] [--check] [--only ID]
#
# With --check it ends with 1 where one of the numbers is worse than LOWEST and HIGHEST. Form of the records: README.md.
# SPDX-License-Identifier: Apache-2.0
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LOWEST = 90.0  # percent of the inconsistent ones that are found
HIGHEST = 2.0  # percent of the consistent ones with a false alarm
ALARMS = ("error", "warning")


def lint(ptxguard, record):
    """The findings of a record's files, judged together as one folder."""
    with tempfile.TemporaryDirectory(prefix="recipe-") as folder:
        for name, text in record["files"].items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([ptxguard, "lint", folder, "--format", "json"], capture_output=True, text=True,
                              env=dict(os.environ, NO_COLOR="1"), timeout=60)
    if done.returncode not in (0, 1):
        return None, f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[:300]}"
    return json.loads(done.stdout)["findings"], ""


def words_of(findings):
    return [f"{one['level']}[{one['code']}] {one['message']}" for one in findings] or ["no finding"]


def judge(record, findings):
    """(is right, what to print)"""
    if record["label"] == "consistent":
        return not any(one["level"] in ALARMS for one in findings)
    expected = record.get("expects", [])
    return any(one["code"] in expected for one in findings)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxguard")
    parser.add_argument("records", nargs="?", default=pathlib.Path(__file__).with_name("records.jsonl"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", help="one record, with its files and findings")
    arguments = parser.parse_args()
    ptxguard = os.path.abspath(arguments.ptxguard)
    lines = pathlib.Path(arguments.records).read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    if arguments.only:
        records = [one for one in records if one["id"] == arguments.only]
    else:
        records = [one for one in records if one["label"] == "consistent" or
                   (one["label"] == "inconsistent" and one["confidence"] in ("high", "medium"))]

    totals, wrong, failed = {}, {}, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for record, (findings, trouble) in zip(records, pool.map(lambda one: lint(ptxguard, one), records)):
            label = record["label"]
            totals[label] = totals.get(label, 0) + 1
            if findings is None:
                failed.append((record, trouble))
                wrong.setdefault(label, []).append((record, [trouble]))
            elif arguments.only:
                for name, text in record["files"].items():
                    print(f"--- {name}\n{text}", end="")
                print("---", *words_of(findings), sep="\n")
            elif not judge(record, findings):
                wrong.setdefault(label, []).append((record, words_of(findings)))
    if arguments.only:
        return 0

    for label, title in (("inconsistent", "missed"), ("consistent", "false alarms")):
        for record, words in wrong.get(label, []):
            stated = "; ".join(record["conflict"]) or "-"
            print(f"{title}: {record['id']} ({record['kind']}) {stated}")
            print(*(f"    {word}" for word in words), sep="\n")
    found = totals.get("inconsistent", 0) - len(wrong.get("inconsistent", []))
    share = 100.0 * found / max(1, totals.get("inconsistent", 0))
    alarms = len(wrong.get("consistent", []))
    alarm_share = 100.0 * alarms / max(1, totals.get("consistent", 0))
    print(f"inconsistent: {found} of {totals.get('inconsistent', 0)} found ({share:.1f} %, wanted {LOWEST:.0f})")
    print(f"consistent: {alarms} of {totals.get('consistent', 0)} with an error or warning ({alarm_share:.1f} %, "
          f"at most {HIGHEST:.0f})")
    for record, trouble in failed:
        print(f"ptxguard failed on {record['id']}: {trouble}", file=sys.stderr)
    if failed:
        return 2
    return 1 if arguments.check and (share < LOWEST or alarm_share > HIGHEST) else 0


if __name__ == "__main__":
    sys.exit(main())
