# Real torchvision and torchaudio next to a matching and a mismatched torch.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import unittest

from support import Answer, CheckCase, linked_tree, part


class Companions(CheckCase):
    def judge(self, *sets: str) -> Answer:
        site = self.folder / "venv/lib/python3.10/site-packages"
        for name in sets:
            linked_tree(part(name), site)
        return self.check("--python", str(site), "--probe", "off", "--driver", "610.43.02", "--gpu", "A100")

    def test_of_its_release(self) -> None:
        self.assertEqual(self.judge("torch-2.3.1-companions").of("CC612"), [])

    def test_torchaudio_that_pins_no_torch(self) -> None:
        finding = self.assert_finding(self.judge("torch-2.3.1-companions", "torchaudio-2.11.0"), "CC612", "error", "CUDA 13.0", "CUDA 12.1")
        self.assertIn("'torchaudio==2.3.1'", finding["fix"][0]["text"])

    def test_torchvision_of_an_older_torch(self) -> None:
        """Both records exist, as after two `pip install --target` into one folder; the older one came last."""
        finding = self.assert_finding(self.judge("torch-2.3.1-companions", "torchvision-0.15.2"), "CC612", "error", "torchvision 0.15.2", "torch 2.0.1")
        self.assertIn("'torchvision==0.18.1'", finding["fix"][0]["text"])


if __name__ == "__main__":
    unittest.main()
