# inspect --compile: the PTX in a file, compiled by drivers' own compilers and by ptxas.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import PTXGUARD, part, toolkit
from test_inspect import InspectCase
from test_matrix import TILE


class Compiled(InspectCase):
    """inspect --compile: real PTX, compiled by drivers' own compilers and by ptxas."""

    GOOD = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
    # %clusterid was added with sm_90: the version allows it, the target does not.
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

    def lto_ir(self, name: str, source: str, *options: str) -> Path:
        """What NVRTC writes with -dlto."""
        file = self.folder / f"{name}.ltoir"
        code = f"""
import ctypes, pathlib, sys
folder, source, file, *options = sys.argv[1:]
for builtins in pathlib.Path(folder).glob("libnvrtc-builtins*"):
    ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
nvrtc = ctypes.CDLL(str(sorted(pathlib.Path(folder).glob("libnvrtc.so.*"))[0]))
program, size = ctypes.c_void_p(), ctypes.c_size_t()
assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"a.cu", 0, None, None) == 0
assert nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*map(str.encode, options))) == 0
assert nvrtc.nvrtcGetLTOIRSize(program, ctypes.byref(size)) == 0
code = ctypes.create_string_buffer(size.value)
assert nvrtc.nvrtcGetLTOIR(program, code) == 0
pathlib.Path(file).write_bytes(code.raw)
"""
        folder = sorted(part(name).rglob("libnvrtc.so.*"))[0].parent
        subprocess.run([sys.executable, "-c", code, folder, source, file, "--gpu-architecture=compute_80", "-dlto", *options],
                       check=True, timeout=120)
        return file

    KERNEL = 'extern "C" __global__ void k(float* p) { p[threadIdx.x] = sinf(p[threadIdx.x]); }'
    PART = 'extern "C" __device__ float cb(float); extern "C" __global__ void k(float* p) { *p = cb(*p); }'

    def one(self, *arguments: object) -> tuple:
        (answer,) = self.compiled(*arguments)
        return answer["compiler"], answer["code"], answer["outcome"], answer.get("failure")

    def linker(self, name: str) -> Path:
        """A toolkit with that nvJitLink, as pip installs one next to nvcc."""
        root = self.folder / name
        for folder in ("bin", "lib"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        for tool in ("nvcc", "ptxas"):
            link = root / "bin" / tool
            if not link.exists():
                link.symlink_to(Path(toolkit("pypi-repaired-13.0.2")) / "bin" / tool)
        library = next(part(name).rglob("libnvJitLink.so.*"))
        if not (root / "lib" / library.name).exists():
            (root / "lib" / library.name).symlink_to(library)
        return root

    def test_lto_ir_is_linked_by_nvjitlink(self) -> None:
        old, new = self.lto_ir("nvrtc-12.9", self.KERNEL), self.lto_ir("nvrtc-13.5", self.KERNEL)
        for linker, file, outcome in (("nvjitlink-12.9", old, "accepted"), ("nvjitlink-12.9", new, "refused"), ("nvjitlink-13.0", old, "accepted"),
                                      ("nvjitlink-13.0", new, "refused"), ("nvjitlink-13.5", new, "accepted"), ("nvjitlink-12.0", old, "refused")):
            with self.subTest(linker=linker, file=file.name):
                answer = self.inspect("--compile", "--gpu", "9.0", "--toolkit", self.linker(linker), file)
                (one,) = answer.report["files"][0]["compiled"]
                self.assertEqual((one["code"], one["outcome"]), ("ltoir", outcome), one)
                self.assertEqual(len([finding for finding in answer.of("CC213") if finding["level"] == "error"]), outcome == "refused")

    def test_a_part_of_a_program_is_no_finding(self) -> None:
        file = self.lto_ir("nvrtc-12.9", self.PART, "-rdc=true")
        answer = self.inspect("--compile", "--gpu", "9.0", "--toolkit", self.linker("nvjitlink-13.0"), file)
        (one,) = answer.report["files"][0]["compiled"]
        self.assertEqual((one["outcome"], one["failure"]), ("unknown", "unlinked"), one)
        self.assertIn("Unresolved extern function 'cb'", one["words"])
        self.assertEqual(answer.of("CC213"), [])

    def test_what_nvcc_obfuscates_is_linked_in_its_fatbin(self) -> None:
        (self.folder / "k.cu").write_text("__global__ void k(float* p) { p[threadIdx.x] = sinf(p[threadIdx.x]); }\n")
        subprocess.run([toolkit("pypi-repaired-13.0.2") + "/bin/nvcc", "-dc", "-gencode", "arch=compute_80,code=[lto_80,sm_80]", "k.cu", "-o", "k.o"],
                       cwd=self.folder, env=self.env(), check=True)
        for linker, outcome in (("nvjitlink-12.9", "refused"), ("nvjitlink-13.0", "accepted"), ("nvjitlink-13.5", "accepted")):
            (one,) = self.compiled("--gpu", "9.0", "--toolkit", self.linker(linker), self.folder / "k.o")
            self.assertEqual((one["code"], one["outcome"]), ("ltoir", outcome), one)

    def bytecode(self, version: str) -> Path:
        path = self.folder / f"add-{version}.tilebc"
        (self.folder / "add.py").write_text(TILE)  # cuda-tile reads the text of the kernel
        done = subprocess.run([sys.executable, self.folder / "add.py", version, path], capture_output=True, text=True, timeout=300,
                              env=self.env(PYTHONPATH=str(part("cuda-tile-1.7.0"))))
        if "ModuleNotFoundError" in done.stderr or "ImportError" in done.stderr:
            self.skipTest("cuda-tile is of another Python: " + done.stderr[-300:])
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def fatbin(self, bytecode: Path) -> Path:
        """What nvFatbin, which applications use, makes of bytecode."""
        library = ctypes.CDLL(str(next(part("nvfatbin-13.4").rglob("libnvfatbin.so.*"))))
        handle, size, code = ctypes.c_void_p(), ctypes.c_size_t(), bytecode.read_bytes()
        self.assertEqual(library.nvFatbinCreate(ctypes.byref(handle), None, 0), 0)
        self.assertEqual(library.nvFatbinAddTileIR(handle, code, ctypes.c_size_t(len(code)), b"add", None), 0)
        self.assertEqual(library.nvFatbinSize(handle, ctypes.byref(size)), 0)
        whole = ctypes.create_string_buffer(size.value)
        self.assertEqual(library.nvFatbinGet(handle, whole), 0)
        file = bytecode.with_suffix(".fatbin")
        file.write_bytes(whole.raw)
        return file

    def test_tile_ir_is_compiled_by_tileiras(self) -> None:
        kit = next(part("tileiras-13.2").glob("nvidia/cu13"))
        for version, outcome in (("13.1", "accepted"), ("13.2", "accepted"), ("13.3", "refused")):
            bytecode = self.bytecode(version)
            for file in (bytecode, self.fatbin(bytecode)):
                with self.subTest(file=file.name):
                    # Whatever toolkit the environment names: the one of --toolkit is used.
                    answer = self.inspect("--compile", "--gpu", "10.0", "--toolkit", kit, file)
                    (one,) = answer.report["files"][0]["compiled"]
                    self.assertEqual((one["compiler"], one["code"], one["outcome"]), ("tileiras 13.2.78", "tileir", outcome), one)
                    self.assertEqual(len(answer.of("CC213")), outcome == "refused")
        hopper = self.compiled("--gpu", "9.0", "--toolkit", kit, self.bytecode("13.1"))[0]
        self.assertEqual((hopper["outcome"], hopper["failure"]), ("refused", "architecture"), hopper)

    def test_a_tileiras_without_its_tools_is_not_believed(self) -> None:
        kit, broken = next(part("tileiras-13.2").glob("nvidia/cu13")), self.folder / "broken"
        (broken / "bin").mkdir(parents=True)
        for name in ("nvcc", "ptxas", "tileiras"):  # libNVVM is missing
            shutil.copy(kit / "bin" / name, broken / "bin" / name)
        (one,) = self.compiled("--gpu", "10.0", "--toolkit", broken, self.bytecode("13.1"))
        self.assertEqual((one["outcome"], one["refused"]), ("unknown", 0), one)
        self.assertIn("failed to compile Tile IR program", one["words"])

    def test_tile_ir_and_drivers(self) -> None:
        file = self.fatbin(self.bytecode("13.1"))
        answer = self.inspect("--compile", "--gpu", "8.0", "--driver-libs", self.jit("550"), file)
        (runs,) = answer.report["files"][0]["runs_on"]
        self.assertEqual(runs["verdict"], "no", runs)
        self.assertIn("the first driver that does is that of CUDA 13.1", runs["why"])
        self.assertEqual(len(answer.of("CC204")), 1)
        (newer,) = self.inspect("--gpu", "8.0", "--driver", "590.44.01", file).report["files"][0]["runs_on"]
        self.assertEqual(newer["verdict"], "unknown", newer)

    def test_wrong_use(self) -> None:
        good = self.ptx("good", self.GOOD)
        for arguments in (("--compile",), ("--toolkit", "/"), ("--compile", "--toolkit", self.folder)):
            done = subprocess.run([PTXGUARD, "inspect", "--isolated", *map(str, arguments), str(good)], env=self.env(),
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
