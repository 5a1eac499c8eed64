# What was measured on machines with a GPU (records/), compared with what the program says without one.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
import unittest
from pathlib import Path

from support import PTXGUARD, CheckCase

RECORDS = sorted((Path(__file__).parent / "records").glob("*.json"))


class Records(CheckCase):
    def answer(self, *arguments: str, text: str = "") -> dict:
        done = subprocess.run([PTXGUARD, *arguments, "--isolated", "--format", "json"], input=text, env=self.env(), capture_output=True,
                              text=True, timeout=200)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_the_texts_of_real_faults_lead_to_their_causes(self) -> None:
        seen = 0
        for record in RECORDS:
            for fault in json.loads(record.read_text())["faults"]:
                if not fault.get("code"):
                    continue
                with self.subTest(record=record.name, fault=fault["name"]):
                    seen += 1
                    diagnoses = self.answer("explain", "-", text=fault["log"])["diagnoses"]
                    self.assertTrue(diagnoses, fault["log"])
                    self.assertIn(diagnoses[0]["code"], fault["code"])
        self.assertGreater(seen, 15)

    def test_the_tables_predict_which_ptx_a_gpu_loads(self) -> None:
        for record in RECORDS:
            measured = json.loads(record.read_text())
            files = []
            for version in measured["ptx"]:
                files.append(str(self.folder / f"{version}.ptx"))
                Path(files[-1]).write_text(f".version {version}\n.target sm_{'70' if version < '9' else '75'}\n.address_size 64\n"
                                           ".visible .entry k() { ret; }\n")
            report = self.answer("matrix", "--only-named", "--driver", measured["driver"], *files)
            names = {one["id"]: one["name"].removesuffix(".ptx") for one in report["producers"]}
            predicted = {names[cell["producer"]]: cell["outcome"] for cell in report["cells"]}
            self.assertEqual(predicted, measured["ptx"])


if __name__ == "__main__":
    unittest.main()
