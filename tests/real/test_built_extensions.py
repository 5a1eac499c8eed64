# An extension that is compiled here with the headers and libraries of one torch, next to that torch and next to
# another.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PARTS, CheckCase, part, python_environment

# torch's own macro calls a function of c10 whose parameters changed; TORCH_CHECK one that takes a std::string.
CUDA_SOURCE = """
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
extern "C" void *PyInit__C() { C10_CUDA_CHECK(c10::cuda::SetDevice(0)); return nullptr; }
"""
STRING_SOURCE = """
#include <c10/util/Exception.h>
extern "C" void *PyInit__C(int x) { TORCH_CHECK(x > 0, "not positive: ", x); return nullptr; }
"""
# The functions that libtorch keeps for every later release: plain C, declared by hand as its header does.
STABLE_SOURCE = """
#include <cstdint>
extern "C" int32_t aoti_torch_get_numel(void *tensor, int64_t *numel);
extern "C" void *PyInit__C() { int64_t n; return aoti_torch_get_numel(nullptr, &n) ? &n : nullptr; }
"""
# Set, folder of the runtime in it, the CUDA major of its runtime, the folder of the crt headers that the runtime's include.
TORCHES = {"2.8.0": ("torch-2.8.0-headers", "nvidia/cuda_runtime", "12", "ptxas-12.8/nvidia/cuda_nvcc/include"),
           "2.11.0": ("torch-2.11.0-set", "nvidia/cu13", "13", "cuda-headers-13.0/nvidia/cu13/include")}


class BuiltExtensions(CheckCase):
    def setUp(self) -> None:
        super().setUp()
        self.compiler = shutil.which("g++")
        if not self.compiler:
            self.skipTest("no g++")
        self.sites = {torch: python_environment(self.folder / torch, part(name)) / "lib/python3.11/site-packages"
                      for torch, (name, *_) in TORCHES.items()}

    def built(self, torch: str, source: str, *options: str) -> Path:
        """The module of a package whose __init__ imports it, as `setup.py bdist_wheel` leaves it."""
        name, runtime, major, crt = TORCHES[torch]
        folder = self.folder / "built/mypkg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "_C.cpp").write_text(source)
        module = folder / "_C.cpython-311-x86_64-linux-gnu.so"
        subprocess.run([self.compiler, "-shared", "-fPIC", "-std=c++17", *options, str(folder / "_C.cpp"), "-o", str(module),
                        f"-I{part(name)}/torch/include", f"-I{part(name)}/{runtime}/include", f"-I{PARTS / crt}",
                        f"-L{part(name)}/torch/lib",
                        "-Wl,--no-as-needed", "-lc10", "-lc10_cuda", "-ltorch_cpu", f"-L{part(name)}/{runtime}/lib",
                        f"-l:libcudart.so.{major}", "-Wl,--unresolved-symbols=ignore-all"], check=True)
        return module

    def installed(self, module: Path, torch: str) -> Path:
        site = self.sites[torch]
        for old in ("mypkg", "mypkg-1.0.dist-info"):
            shutil.rmtree(site / old, ignore_errors=True)
        (site / "mypkg").mkdir()
        (site / "mypkg/__init__.py").write_text("from mypkg import _C\n")
        (site / "mypkg-1.0.dist-info").mkdir()
        (site / "mypkg-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: mypkg\nVersion: 1.0\n")
        (site / "mypkg-1.0.dist-info/RECORD").write_text(f"mypkg/__init__.py,,\nmypkg/{module.name},,\n")
        return Path(shutil.copy(module, site / "mypkg" / module.name))

    def by_loader(self, module: Path, torch: str) -> set:
        """The names of torch that `ldd -r` misses in the module."""
        site = self.sites[torch]
        folders = [site / "torch/lib", *(site / TORCHES[one][1] / "lib" for one in TORCHES)]
        done = subprocess.run(["ldd", "-r", str(module)], capture_output=True, text=True,
                              env=self.env(LD_LIBRARY_PATH=":".join(map(str, folders))))
        return set(re.findall(rf"undefined symbol: (\S+)\s+\({re.escape(str(module))}\)", done.stdout + done.stderr))

    def assert_verdict(self, module: Path, torch: str, lacks: bool) -> None:
        module = self.installed(module, torch)
        truth = self.by_loader(module, torch)
        self.assertEqual(bool(truth), lacks, truth)
        answer = self.check("--python", str(self.sites[torch]), "--probe", "off")
        ours = [one for one in answer.report["inventory"].get("modules", []) if one["package"] == "mypkg"]  # that lack something
        self.assertEqual({name["name"] for one in ours for name in one.get("undefined_names", [])}, truth, answer.text())
        # The loader stops at a library of the other torch's CUDA before it binds a symbol.
        codes = ("CC612", "CC619") if truth else ("CC619",)
        findings = [finding for code in codes for finding in answer.of(code) if "mypkg 1.0" in finding["message"]]
        self.assertEqual([finding["level"] for finding in findings], ["error"] * bool(truth), answer.text())
        for finding in findings:
            self.assertIn(f"torch {torch}", finding["message"])
            stops = "undefined symbol: " + min(truth) if finding["code"] == "CC619" else "cannot open shared object file"
            self.assertIn(stops, finding["because"])

    def test_beside_its_own_torch_and_another(self) -> None:
        for built_with in TORCHES:
            module = self.built(built_with, CUDA_SOURCE)
            for beside in TORCHES:
                with self.subTest(built_with=built_with, beside=beside):
                    self.assert_verdict(module, beside, lacks=built_with != beside)

    def test_the_old_string_of_gcc(self) -> None:
        """One release of torch, compiled with the C++ ABI of its former wheels and with its own."""
        for abi in ("0", "1"):
            with self.subTest(abi=abi):
                module = self.built("2.8.0", STRING_SOURCE, f"-D_GLIBCXX_USE_CXX11_ABI={abi}")
                self.assert_verdict(module, "2.8.0", lacks=abi == "0")

    def test_the_stable_abi_is_bound_to_no_release(self) -> None:
        module = self.built("2.8.0", STABLE_SOURCE)
        for beside in TORCHES:
            with self.subTest(beside=beside):
                self.assert_verdict(module, beside, lacks=False)


if __name__ == "__main__":
    unittest.main()
