#!/usr/bin/env python3
"""Writes facts/pci_ids.json: NVIDIA's GPUs by the device id of their PCI bus, with the chip and its compute capability.

    pci_ids.py pci.ids      the list of the PCI ID Project (Debian: /usr/share/misc/pci.ids)

Only chips in CHIPS are taken. A new one is a row there, with the compute capability that NVIDIA's documentation gives it; devices of
all others (sound, switches, bridges, chips of before 2010) are left out, and are unknown to the program.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "ptxguard/facts/pci_ids.json"
VENDOR = "10de"
CHIPS = {
    "sm_20": "GF100 GF110",
    "sm_21": "GF104 GF106 GF108 GF114 GF116 GF117 GF119",
    "sm_30": "GK104 GK106 GK107",
    "sm_35": "GK110 GK180 GK208",
    "sm_37": "GK210",
    "sm_50": "GM107 GM108",
    "sm_52": "GM200 GM204 GM206",
    "sm_60": "GP100",
    "sm_61": "GP102 GP104 GP106 GP107 GP108",
    "sm_70": "GV100",
    "sm_75": "TU102 TU104 TU106 TU116 TU117",
    "sm_80": "GA100",
    "sm_86": "GA102 GA103 GA104 GA106 GA107",
    "sm_89": "AD102 AD103 AD104 AD106 AD107",
    "sm_90": "GH100",
    "sm_100": "GB100 GB102",
    "sm_103": "GB110",
    "sm_110": "GB10B",
    "sm_120": "GB202 GB203 GB205 GB206 GB207",
    "sm_121": "GB20B",
}
ARCH_OF = {chip: arch for arch, chips in CHIPS.items() for chip in chips.split()}


def chip_of(name: str) -> str | None:
    """Without the letters for the form of the chip: GK110BGL is a GK110, GB20B a chip of its own."""
    word = re.match(r"[A-Z]{2}\d+[A-Z]*", name)
    known = [chip for chip in ARCH_OF if word and word.group().startswith(chip)]
    return max(known, key=len, default=None)


def devices(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    inside = False
    for line in text.splitlines():
        if re.match(r"[0-9a-f]{4}  ", line):
            inside = line.startswith(VENDOR)
        match = re.fullmatch(r"\t([0-9a-f]{4})  (.+)", line)
        if not inside or not match:
            continue
        number, name = match.groups()
        chip = chip_of(name)
        form = re.fullmatch(r"[A-Z]{2}\d+[A-Z]*(?: / [\w-]+)*(?: \[(.+)\])?", name)
        if chip and form and "NVSwitch" not in name:
            found.setdefault(chip, {})[number] = form.group(1) or ""
    return found


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    day = re.search(r"Date:\s+([0-9-]+)", text)
    found = devices(text)
    rows = []
    for chip, arch in ARCH_OF.items():
        names: dict[str, list[str]] = {}
        for number, name in sorted(found.get(chip, {}).items()):
            names.setdefault(name, []).append(number)
        ids = ",\n".join(f"      {json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in names.items())
        if ids:
            rows.append(f'    {{ "chip": "{chip}", "arch": "{arch}", "source": ["d-pciids", "d-chips"], "products": {{\n{ids} }} }}')
    TABLE.write_text(
        '{\n  "about": "GPUs by PCI device id (vendor 10de): product name, or \\"\\" where none is listed, and its ids. '
        'Written by tools/dev/pci_ids.py.",\n'
        f'  "date": "{day.group(1) if day else ""}",\n'
        '  "chips": [\n' + ",\n".join(rows) + "\n  ],\n"
        '  "sources": [\n    { "id": "d-pciids", "kind": "third-party", "what": "pci.ids of the PCI ID Project, https://pci-ids.ucw.cz" },\n'
        '    { "id": "d-chips", "kind": "documented", "what": "https://developer.nvidia.com/cuda-gpus, the compute capability of each product" }\n'
        "  ]\n}\n",
        encoding="utf-8",
    )
    print(f"{sum(map(len, found.values()))} devices of {len(found)} chips, {TABLE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
