#!/usr/bin/env python3
# How many records of a file of failure reports `ptxguard explain` answers with the right code first. A record is a line of JSON with
# `id`, `error_lines` and `settled_by`; counted are those that a maintainer, the reporter or another user settled. Which codes are right
# is in settled_failures.json, written from each record's cause before the program was asked; [] = no fault, so nothing above "possible".
#
#   python3 tests/logs/measure.py --ptxguard build/bin/ptxguard --records failures.jsonl
# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import pathlib
import subprocess

CODES = pathlib.Path(__file__).with_name("settled_failures.json")


def answer(ptxguard, text):
    """The first diagnosis, as code and confidence, and whether a cause outside of the toolchain comes before it."""
    done = subprocess.run([ptxguard, "explain", "--isolated", "--format", "json", "-"], input=text.encode(), capture_output=True, check=False)
    report = json.loads(done.stdout)
    diagnoses = report.get("diagnoses", [])
    return (diagnoses[0]["code"], diagnoses[0]["confidence"]) if diagnoses else ("none", "")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ptxguard", required=True)
    options.add_argument("--records", required=True)
    given = options.parse_args()
    labels = json.loads(CODES.read_text(encoding="utf-8"))
    right = wrong_and_certain = counted = 0
    for line in pathlib.Path(given.records).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["id"] not in labels:
            continue
        counted += 1
        wanted = labels[record["id"]]["codes"]
        code, confidence = answer(given.ptxguard, "\n".join(record["error_lines"]) + "\n")
        if code in wanted or (not wanted and confidence in ("", "possible")):
            right += 1
            continue
        wrong_and_certain += confidence == "certain"
        print(f"{record['id']}: {code} {confidence}, not {' or '.join(wanted) or 'silence'}")
    print(f"{right} of {counted} right first ({100 * right / max(1, counted):.1f} %), {wrong_and_certain} wrong and certain")


if __name__ == "__main__":
    main()
