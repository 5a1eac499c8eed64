#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the rows of tools/ptxguard/facts/cuda/*.json with real ptxas programs.

    facts_against_ptxas.py FACTS_DIR PTXAS...

For each ptxas: its version belongs to a listed release; the newest .version that it accepts is the row's; of
all architectures in any row it supports exactly those of its own row. Exit status: 0 all agree, 1 some row
is wrong, 2 wrong usage, 77 nothing could be compared (no ptxas that runs and whose release is listed).
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
TIME_LIMIT_S = 30
PTX = ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n"


class DoesNotRun(Exception):
    pass


def run(command):
    """Exit status and output of a program, both streams together."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIME_LIMIT_S,
                              text=True, errors="replace", check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DoesNotRun(str(error)) from error
    return done.returncode, done.stdout


class Ptxas:
    def __init__(self, path, folder):
        self.path = path
        self.folder = pathlib.Path(folder)
        output = run([path, "--version"])[1]
        found = re.search(r"\bV(\d+)\.(\d+)\.(\d+)", output)
        if not found:
            raise DoesNotRun("says no version: " + output.strip()[:200])
        self.build = ".".join(found.groups())
        self.release = ".".join(found.groups()[:2])

    def assemble(self, version, target, arch):
        source = self.folder / "k.ptx"
        source.write_text(PTX.format(version=version, target=target))
        return run([self.path, "-arch=" + arch, "-o", str(self.folder / "k.cubin"), str(source)])

    def newest_version(self, arch):
        """What ptxas itself calls its current version when it is given one that is too new."""
        output = self.assemble("99.9", arch, arch)[1]
        found = re.search(r"current version is '(\d+\.\d+)'", output)
        return found.group(1) if found else None

    def knows(self, arch, version, target):
        output = self.assemble(version, target, arch)[1]
        return "is not defined for option 'gpu-name'" not in output


def compare(ptxas, row, candidates):
    """Sentences that describe how the row and the program differ."""
    differences = []
    listed = row["ptxas_archs"]["values"]
    lowest = listed[0]
    newest = ptxas.newest_version(lowest)
    if newest != row["ptx"]["max"]:
        differences.append(f"newest .version is {newest}, the row says {row['ptx']['max']}")
    code, output = ptxas.assemble(row["ptx"]["max"], lowest, lowest)
    if code != 0:
        differences.append(f"refuses the row's .version {row['ptx']['max']}: {output.strip()}")
    known = {arch for arch in candidates if ptxas.knows(arch, row["ptx"]["max"], lowest)}
    for arch in sorted(known - set(listed)):
        differences.append(f"knows {arch}, which the row lacks")
    for arch in sorted(set(listed) - known):
        differences.append(f"does not know {arch}, which the row lists")
    return differences


def main(arguments):
    if len(arguments) < 1 or not pathlib.Path(arguments[0], "cuda").is_dir():
        print(__doc__.strip(), file=sys.stderr)
        return 2
    rows = {path.stem: json.loads(path.read_text(encoding="utf-8"))
            for path in pathlib.Path(arguments[0], "cuda").glob("*.json")}
    architectures = json.loads(pathlib.Path(arguments[0], "architectures.json").read_text(encoding="utf-8"))
    candidates = {row["arch"] for row in architectures["architectures"]}
    candidates.update(arch for row in rows.values() for arch in row["ptxas_archs"]["values"])
    compared = wrong = 0
    for path in arguments[1:]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                ptxas = Ptxas(path, folder)
                row = rows.get(ptxas.release)
                if row is None:
                    print(f"skip  {path}: {ptxas.build} is of a release that is not listed")
                    continue
                differences = compare(ptxas, row, candidates)
            except DoesNotRun as error:
                print(f"skip  {path}: {error}")
                continue
        compared += 1
        wrong += bool(differences)
        word = "WRONG" if differences else "ok   "
        print(f"{word} {path}: ptxas {ptxas.build}, facts/cuda/{ptxas.release}.json")
        for difference in differences:
            print("      " + difference)
    print(f"{compared} compared, {wrong} wrong")
    return SKIPPED if not compared else 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
