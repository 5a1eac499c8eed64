# inspect --compile: the PTX in a file, given to drivers' own compilers and to ptxas.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import unittest
from pathlib import Path

from support import PTXGUARD, part
from test_inspect import InspectCase


class Compiled(InspectCase):
    """inspect --compile: real PTX, given to drivers' own compilers and to ptxas."""

    GOOD = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
    # %clusterid came with sm_90: the version admits it, the target does not.
    BAD = (".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b32 %r<2>; "
           ".reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; mov.u32 %r1, %clusterid.x; st.global.u32 [%rd1], %r1; ret; }\n")

    def jit(self, driver: str) -> Path:
        return next(part(f"driver-{driver}").rglob("libnvidia-ptxjitcompiler.so.1")).parent

    def ptx(self, name: str, text: str) -> Path:
        file = self.folder / f"{name}.ptx"
        file.write_text(text)
        return file

    def compiled(self, *arguments: object) -> list:
        return self.inspect("--compile", *arguments).report["files"][0].get("compiled", [])

    def test_what_the_compilers_say(self) -> None:
        places = ("--driver-libs", self.jit("550"), "--toolkit", part("ptxas-12.8") / "nvidia/cuda_nvcc")
        good, bad = self.ptx("good", self.GOOD), self.ptx("bad", self.BAD)
        self.assertEqual([one["outcome"] for one in self.compiled("--gpu", "9.0", *places, good)], ["accepted"] * 2)
        answer = self.inspect("--compile", "--gpu", "9.0", *places, bad)
        self.assertEqual(len(answer.of("CC213")), 2)
        self.assertIn("%clusterid", answer.of("CC213")[0]["message"])
        (runs,) = answer.report["files"][0]["runs_on"]
        self.assertEqual(runs["verdict"], "no")

    def test_every_driver_refuses_what_is_too_new_and_nothing_else(self) -> None:
        for driver in ("450", "470", "535", "550", "555"):
            old = self.ptx("old", self.GOOD.replace("8.0", "6.4").replace("sm_80", "sm_50"))
            (one,) = self.compiled("--gpu", "7.0", "--driver-libs", self.jit(driver), old)
            self.assertEqual((one["outcome"], one["accepted"]), ("accepted", 1), one)
            new = self.ptx("new", self.GOOD.replace("8.0", "8.7").replace("sm_80", "sm_50"))
            answer = self.inspect("--compile", "--gpu", "7.0", "--driver-libs", self.jit(driver), new)
            self.assertEqual(([one["code"] for one in answer.findings]), ["CC202"])

    def test_the_ptx_of_a_real_library(self) -> None:
        file = part("binary-xformers") / "xformers/_C.so"
        (one,) = self.compiled("--toolkit", part("ptxas-12.8") / "nvidia/cuda_nvcc", file)
        self.assertEqual((one["outcome"], one["accepted"]), ("accepted", one["texts"]), one)
        self.assertGreater(one["texts"], 5)
        (one,) = self.compiled("--gpu", "12.0", "--driver-libs", self.jit("550"), file)
        self.assertEqual((one["outcome"], one["failure"]), ("refused", "architecture"), one)

    def test_wrong_use(self) -> None:
        good = self.ptx("good", self.GOOD)
        for arguments in (("--compile",), ("--toolkit", "/"), ("--compile", "--toolkit", self.folder)):
            done = subprocess.run([PTXGUARD, "inspect", "--isolated", *map(str, arguments), str(good)], env=self.env(),
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
