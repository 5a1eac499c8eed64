# Error 222: declared drivers by table, real drivers by their own compiler.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import unittest
from pathlib import Path

from support import CheckCase, driver_libs, part, toolkit

# Real drivers from packages: the newest PTX that each one's compiler reads, as driver-jit measurements found it.
DRIVERS = {"driver-390": "6.1", "driver-418": "6.4", "driver-450": "7.0", "driver-460": "7.2", "driver-470": "7.4",
           "driver-525": "8.0", "driver-535": "8.2", "driver-550": "8.4", "driver-555": "8.5"}


class DeclaredDriver(CheckCase):
    def judged(self, *arguments: str):
        return self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), *arguments)

    def test_ptx_alone_is_an_error(self) -> None:
        answer = self.judged("--driver", "535.104.05", "--arch", "80-virtual")
        self.assert_finding(answer, "CC202", "error", "9.0", "8.2", "predicted")
        self.assert_finding(answer, "CC208", "error", "580.65.06")

    def test_ptx_beside_cubins_is_a_warning(self) -> None:
        self.assert_finding(self.judged("--driver", "535.104.05", "--arch", "80"), "CC202", "warning", "9.0", "8.2")

    def test_real_code_alone_is_silent(self) -> None:
        self.assertEqual(self.judged("--driver", "535.104.05", "--arch", "80-real").of("CC202"), [])

    def test_a_gpu_that_a_cubin_fits_is_silent(self) -> None:
        self.assertEqual(self.judged("--driver", "535.104.05", "--arch", "80", "--gpu", "A100,8.6").of("CC202"), [])

    def test_a_gpu_that_needs_the_ptx_is_an_error(self) -> None:
        answer = self.judged("--driver", "535.104.05", "--arch", "80", "--gpu", "H100")
        self.assert_finding(answer, "CC202", "error", "H100")

    def test_a_driver_of_the_release_is_silent(self) -> None:
        answer = self.judged("--driver", "580.65.06", "--arch", "80")
        self.assertEqual(answer.of("CC202") + answer.of("CC208"), [])
        self.assert_pass(answer)

    def test_no_driver_is_unknown_once_and_does_not_fail(self) -> None:
        answer = self.judged("--arch", "80-virtual")
        self.assertEqual((answer.code, answer.report["verdict"]), (0, "pass"))
        self.assertEqual([(f["code"], f["level"]) for f in answer.findings], [("CC210", "unknown")], answer.text())
        self.assertTrue(any("--driver" in text for text in answer.of("CC210")[0]["decide"]))

    def test_a_required_driver_that_is_not_there_fails(self) -> None:
        self.assert_finding(self.judged("--require", "driver"), "CC210", "error")


class MeasuredDriver(CheckCase):
    """The driver's own compiler reports what it reads; no GPU, no kernel module."""

    def available(self):
        found = 0
        for name, reads in DRIVERS.items():
            try:
                libs = driver_libs(name)
            except unittest.SkipTest:
                continue
            found += 1
            yield name, libs, reads
        insisted = int(os.environ.get("PTXGUARD_INSIST_DRIVERS", "0"))
        self.assertGreaterEqual(found, insisted, "too few real drivers were to be had")
        if found == 0:
            raise unittest.SkipTest("no real driver is to be had")

    def test_each_driver_refuses_with_its_own_words(self) -> None:
        for name, libs, reads in self.available():
            with self.subTest(driver=name):
                answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--driver-libs", libs, "--arch", "80-virtual")
                finding = self.assert_finding(answer, "CC202", "error", f"Unsupported .version 9.0; current version is '{reads}'")
                certainties = {e["origin"].get("certainty") for e in finding["expected"]}
                self.assertEqual(certainties, {"measured"}, finding)
                self.assertEqual([p["accepts_up_to"] for p in answer.report["probes"] if p["kind"] == "driver-jit" and "accepts_up_to" in p][0], reads)

    def test_a_driver_accepts_what_it_reads(self) -> None:
        kit = part("nvcc-11.8-working")
        roots = [p.parent.parent for p in kit.rglob("bin/nvcc")]
        answer = self.check("--toolkit", str(roots[0]), "--driver-libs", driver_libs("driver-550"), "--arch", "80-virtual")
        accepted = [p for p in answer.report["probes"] if p["kind"] == "driver-jit" and p["outcome"] == "accepted"]
        self.assertTrue(accepted, answer.report["probes"])
        self.assertEqual(answer.of("CC202"), [], answer.text())

    def test_a_library_of_an_unlisted_version_works_the_same(self) -> None:
        source = next(Path(driver_libs("driver-535")).glob("libnvidia-ptxjitcompiler.so.5*"))
        shutil.copy(source, self.folder / "libnvidia-ptxjitcompiler.so.999.77.01")
        (self.folder / "libnvidia-ptxjitcompiler.so.1").symlink_to("libnvidia-ptxjitcompiler.so.999.77.01")
        answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--driver-libs", str(self.folder), "--arch", "80-virtual")
        self.assert_finding(answer, "CC202", "error", "current version is '8.2'")

    def test_a_broken_library_is_unknown_and_takes_nothing_down(self) -> None:
        (self.folder / "libnvidia-ptxjitcompiler.so.1").write_bytes(b"\x7fELF garbage")
        answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--driver-libs", str(self.folder), "--arch", "80-virtual")
        self.assertNotIn("CC202", answer.errors())
        self.assertTrue(any(level == "unknown" for _, level in answer.levels()), answer.text())


if __name__ == "__main__":
    unittest.main()
