# Whole environments of real wheels: those that work are silent, packages built for another torch are named.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import unittest

from support import Answer, CheckCase, linked_tree, part


class Environments(CheckCase):
    def judge(self, *sets: str) -> Answer:
        site = self.folder / "venv/lib/python3.11/site-packages"
        for name in sets:
            linked_tree(part(name), site)
        return self.check("--python", str(site), "--probe", "off", "--driver", "610.43.02")

    def test_an_environment_that_works(self) -> None:
        """torchvision, torchaudio, torchcodec, bitsandbytes, fbgemm-gpu, CuPy and CTranslate2 beside torch 2.11."""
        answer = self.judge("torch-2.11.0-set", "extensions-for-torch-2.11")
        for code in ("CC401", "CC612", "CC619"):
            self.assertEqual(answer.of(code), [], answer.text())

    def test_kernels_for_an_older_torch(self) -> None:
        """No table lists the package; its modules ask libc10_cuda for a function that has other parameters now."""
        answer = self.judge("torch-2.11.0-set", "sgl-kernel-0.3.21")
        finding = self.assert_finding(answer, "CC619", "warning", "c10::cuda::c10_cuda_check_implementation", "torch 2.11.0")
        self.assertIn("sgl-kernel 0.3.21", finding["message"])
        self.assertTrue(all("--no-binary" not in fix["text"] for fix in finding["fix"]), finding["fix"])

    def test_operators_for_an_older_torch(self) -> None:
        self.assert_finding(self.judge("torch-2.11.0-set", "fbgemm-gpu-1.3.0"), "CC619", "warning", "fbgemm-gpu 1.3.0")

    def test_a_listed_companion_is_reported_once(self) -> None:
        answer = self.judge("torch-2.11.0-set", "torchaudio-2.8.0")
        self.assert_finding(answer, "CC612", "error", "torchaudio 2.8.0")
        self.assertEqual(answer.of("CC619"), [], answer.text())

    def test_the_same_library_under_another_name(self) -> None:
        """torchaudio's library in a package that no table and no record lists."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("torch-2.11.0-set"), site)
        linked_tree(part("torchaudio-2.8.0") / "torchaudio/lib", site / "soundkernels")
        (site / "soundkernels/__init__.py").write_text("")
        answer = self.judge()
        self.assert_finding(answer, "CC619", "warning", "libtorchaudio.so", "torch 2.11.0")


if __name__ == "__main__":
    unittest.main()
