# Whole environments of real wheels: working ones have no findings, packages built for another torch are reported.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import Answer, CheckCase, linked_file, linked_tree, part

# argv: libnvrtc, a folder of headers, a header. Prints NVRTC's result and its log.
COMPILE = """
import ctypes, sys
nvrtc = ctypes.CDLL(sys.argv[1])
program, size = ctypes.c_void_p(), ctypes.c_size_t()
nvrtc.nvrtcCreateProgram(ctypes.byref(program), f"#include <{sys.argv[3]}>".encode(), b"x.cu", 0, None, None)
options = (ctypes.c_char_p * 2)(b"-arch=sm_90", f"-I{sys.argv[2]}".encode())
print(nvrtc.nvrtcCompileProgram(program, 2, options))
nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
log = ctypes.create_string_buffer(size.value)
nvrtc.nvrtcGetProgramLog(program, log)
print(log.value.decode())
"""

# argv: site-packages. Prints the libNVVM that Numba's own search finds, without llvmlite and NumPy, which Numba imports.
NUMBA = """
import importlib.util, sys, types
def load(name, path):
    spec = importlib.util.spec_from_file_location(name, sys.argv[1] + path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
for name in ("numba", "numba.core", "numba.core.config", "numba.misc"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["numba.core.config"].IS_WIN32 = False
load("numba.misc.findlib", "/numba/misc/findlib.py")
print(load("numba.cuda.cuda_paths", "/numba/cuda/cuda_paths.py").get_cuda_paths()["nvvm"].info)
"""

# argv: site-packages. Calls flashinfer's own comparison with flashinfer-cubin, without PyTorch, which flashinfer imports.
CUBIN_DIR = """
import ast, logging, os, pathlib, sys
sys.path.insert(0, sys.argv[1])
file = pathlib.Path(sys.argv[1], "flashinfer/jit/env.py")
wanted = ("has_flashinfer_cubin", "_get_cubin_dir", "_check_cubin_version")
tree = ast.parse(file.read_text())
tree.body = [node for node in tree.body if getattr(node, "name", "") in wanted]
meta = {}
exec(pathlib.Path(sys.argv[1], "flashinfer/_build_meta.py").read_text(), meta)
scope = {"os": os, "pathlib": pathlib, "logger": logging.getLogger(), "flashinfer_version": meta["__version__"], "FLASHINFER_CACHE_DIR": pathlib.Path("/")}
exec(compile(tree, str(file), "exec"), scope)
print(scope["_get_cubin_dir"]())
"""


class Environments(CheckCase):
    def judge(self, *sets: str) -> Answer:
        site = self.folder / "venv/lib/python3.11/site-packages"
        for name in sets:
            linked_tree(part(name), site)
        return self.check("--python", str(site), "--probe", "off", "--driver", "610.43.02")

    def test_an_environment_that_works(self) -> None:
        """torchvision, torchaudio, torchcodec, bitsandbytes, fbgemm-gpu, CuPy, CTranslate2 and NIXL with torch 2.11."""
        answer = self.judge("torch-2.11.0-set", "extensions-for-torch-2.11", "torch-c-dlpack-ext-0.1.5", "nixl-cu13-1.5.1")
        for code in ("CC612", "CC619"):
            self.assertEqual(answer.of(code), [], answer.text())
        # The wheels of torch for CUDA 13 bring no cuBLAS of CUDA 12.
        only, = answer.of("CC401")
        self.assertIn("ctranslate2 4.7.1 opens libcublas.so.12", only["message"])

    def test_a_triton_that_torch_does_not_require(self) -> None:
        """torch 2.8 requires 3.4.0 exactly. torch 2.11 with its own is in test_an_environment_that_works."""
        answer = self.judge("torch-cu128-set", "triton-3.6.0")
        finding = self.assert_finding(answer, "CC612", "warning", "triton 3.6.0 is not the release")
        self.assertEqual(finding["fix"][0]["text"], "python3 -m pip install 'triton==3.4.0'")

    def test_a_library_of_another_release_than_its_record(self) -> None:
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("torch-2.11.0-set"), site)
        library = site / "nvidia/cu13/lib/libnvJitLink.so.13"
        library.unlink()
        linked_file(next(part("nvjitlink-13.5").rglob("libnvJitLink.so.13")), library)
        answer = self.check("--python", str(site), "--probe", "off", "--driver", "615.36")
        self.assert_finding(answer, "CC612", "warning", "libnvJitLink.so.13 is of release 13.5")

    def test_numba_without_libnvvm(self) -> None:
        root = self.folder / "root"
        site = root / "usr/lib/python3/dist-packages"
        linked_tree(part("numba-cuda-0.30.4"), site)
        named = ("--root", str(root), "--python", str(site), "--env", "PATH=/usr/bin", "--driver", "580.65.06", "--gpu", "RTX 4090")
        self.assert_finding(self.check(*named), "CC111", "warning", "finds no libNVVM")
        (site / "nvidia/cu13/lib").mkdir(parents=True)
        (site / "nvidia/cu13/lib/libnvvm.so.4").write_bytes(b"\x7fELF")
        self.assertEqual(self.check(*named).of("CC111"), [])

    def test_wheels_for_glibc_on_a_system_with_musl(self) -> None:
        root = self.folder / "root"
        site = root / "usr/lib/python3.11/site-packages"
        linked_tree(part("torch-2.11.0-set"), site)
        (root / "lib").mkdir()
        (root / "lib/ld-musl-x86_64.so.1").write_bytes(b"\x7fELF")
        named = ("--root", str(root), "--python", str(site), "--driver", "615.36", "--gpu", "H100")
        answer = self.check(*named)
        self.assertIn("this system has musl", answer.text())
        (root / "lib64").mkdir()
        (root / "lib64/ld-linux-x86-64.so.2").write_bytes(b"\x7fELF")
        self.assertNotIn("this system has musl", self.check(*named).text())

    def test_packages_that_load_each_others_libraries(self) -> None:
        """No loader finds librmm.so: librmm's Python code opens it by its path before rmm's modules are imported."""
        self.assertEqual(self.judge("rapids-rmm-26.10").of("CC401"), [])
        shutil.rmtree(self.folder / "venv/lib/python3.11/site-packages/librmm")
        self.assert_finding(self.judge(), "CC401", "error", "rmm-cu13 26.10.0 does not load: librmm.so is not found")

    def test_a_package_for_cuda_12_with_a_driver_for_11(self) -> None:
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("faiss-gpu-cu12-1.14.1"), site)
        named = ("--python", str(site), "--probe", "off")
        self.assert_finding(self.check(*named, "--driver", "470.256.02"), "CC208", "error", "too old for faiss-gpu-cu12 1.14.1.post1", "525.60.13")
        self.assertEqual(self.check(*named, "--driver", "535.104.05").of("CC208"), [])

    def test_two_builds_of_cupy_in_one_folder(self) -> None:
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("cupy-14-13x-set"), site)
        record = next(part("cupy-14-12x-set").glob("*.dist-info"))
        linked_tree(record, site / record.name)
        finding = self.assert_finding(self.judge(), "CC612", "warning", "cupy-cuda13x 14.2.0 is installed over the same files as cupy-cuda12x")
        self.assertIn("pip uninstall -y cupy-cuda13x cupy-cuda12x && python3 -m pip install 'cupy-cuda13x==", finding["fix"][0]["text"])
        # The driver cannot run the one that is there: what follows from that is a line of this finding.
        answer = self.check("--python", str(site), "--probe", "off", "--driver", "535.183.06")
        finding = self.assert_finding(answer, "CC612", "error", "cupy-cuda13x 14.2.0 is installed over the same files as cupy-cuda12x")
        self.assertIn("python3 -m pip install 'cupy-cuda12x==", finding["fix"][0]["text"])
        driver, = answer.of("CC208")
        self.assertEqual(driver["caused_by"]["code"], "CC612")

    def test_a_truncated_library_of_a_package(self) -> None:
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("nixl-cu13-1.5.1"), site)
        module = next(site.glob("nixl_ep_cu13/*.so"))
        head = module.read_bytes()[:5000]
        module.unlink()
        module.write_bytes(head)
        finding = self.assert_finding(self.judge(), "CC401", "warning", f"{module.name} of nixl-cu13 1.5.1 cannot be loaded")
        self.assertIn("--force-reinstall --no-deps nixl-cu13==1.5.1", finding["fix"][0]["text"])

    def test_an_environment_of_another_python(self) -> None:
        """CuPy's modules have the release of Python in their names."""
        for python, refused in (("3.12", True), ("3.11", False)):
            site = self.folder / f"{python}/lib/python{python}/site-packages"
            linked_tree(part("extensions-for-torch-2.11"), site)
            venv = self.folder / python
            (venv / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {python}.4\n")
            answer = self.check("--python", str(venv), "--probe", "off", "--driver", "610.43.02")
            if refused:
                self.assert_finding(answer, "CC613", "error", "cupy-cuda13x 14.2.0", "for Python 3.11", "of Python 3.12")
            else:
                self.assertEqual(answer.of("CC613"), [], answer.text())

    def test_kernels_for_an_older_torch(self) -> None:
        """No table lists the package; all its modules are for CUDA 12, and need a function of libc10_cuda that has other parameters now."""
        answer = self.judge("torch-2.11.0-set", "sgl-kernel-0.3.21")
        finding = self.assert_finding(answer, "CC612", "error", "sgl-kernel 0.3.21 needs libnvrtc.so.12 and libcudart.so.12", "torch 2.11.0")
        self.assertTrue(all("--no-binary" not in fix["text"] for fix in finding["fix"]), finding["fix"])

    def test_operators_for_an_older_torch(self) -> None:
        self.assert_finding(self.judge("torch-2.11.0-set", "fbgemm-gpu-1.3.0"), "CC612", "warning", "fbgemm-gpu 1.3.0",
                            "libcudart.so.12")

    def test_a_package_whose_libraries_are_all_for_another_cuda(self) -> None:
        """It opens libbitsandbytes_cuda130.so, which it lacks; the newer one of the working environment has it."""
        self.assert_finding(self.judge("torch-2.11.0-set", "bitsandbytes-0.47.0"), "CC612", "error", "bitsandbytes 0.47.0",
                            "libbitsandbytes_cuda130.so", "CUDA 13.0")

    def test_a_package_without_the_library_of_this_minor_release(self) -> None:
        """bitsandbytes before 0.50 opens the library of torch's own CUDA, or that of its variable, and no other."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        for name in ("torch-2.11.0-set", "extensions-for-torch-2.11"):
            linked_tree(part(name), site)
        version = site / "torch/version.py"
        text = version.read_text()

        def judge(**variables: str) -> Answer:
            return self.check("--python", str(site), "--probe", "off", "--driver", "610.43.02", env=self.env(**variables))

        self.assertEqual(judge().of("CC612"), [])
        self.assert_finding(judge(BNB_CUDA_VERSION="999"), "CC612", "error", "libbitsandbytes_cuda999.so", "BNB_CUDA_VERSION=999 selects it")
        version.unlink()
        version.write_text(text.replace("2.11.0+cu130", "2.11.0a0+nv26.2").replace("'13.0'", "'13.9'"))
        self.assert_finding(judge(), "CC612", "error", "bitsandbytes 0.49.2 needs libbitsandbytes_cuda139.so", "CUDA 13.9")

    def test_a_listed_companion_is_reported_once(self) -> None:
        answer = self.judge("torch-2.11.0-set", "torchaudio-2.8.0")
        self.assert_finding(answer, "CC612", "error", "torchaudio 2.8.0")
        self.assertEqual(answer.of("CC619"), [], answer.text())

    def test_cupy_of_cuda_12_beside_torch_of_13(self) -> None:
        """cuda-pathfinder finds libcublas.so.13 of torch's wheels, and CuPy's modules need libcublas.so.12."""
        self.assert_finding(self.judge("torch-2.11.0-set", "cupy-14-12x-set"), "CC401", "error", "CuPy", "libcublas.so.12")

    def test_tensorflow_of_cuda_12_beside_torch_of_13(self) -> None:
        """nvidia-cudnn-cu12 and -cu13 have the same files, and each framework needs its own."""
        answer = self.judge("torch-2.11.0-set", "tensorflow-2.18-set")
        fixes = {finding["message"].split(" ")[0]: [fix["text"] for fix in finding["fix"]] for finding in answer.of("CC612")}
        self.assertEqual(fixes, {
            f"nvidia-{library}-cu13": [f"install torch and tensorflow in two environments: nvidia-{library}-cu13 and "
                                       f"nvidia-{library}-cu12 have the same files"] for library in ("cudnn", "nccl")})

    def flashinfer(self, release: str, *arguments: str) -> Answer:
        site = self.folder / "venv/lib/python3.11/site-packages"
        nvcc = self.folder / "cuda/bin/nvcc"
        nvcc.parent.mkdir(parents=True, exist_ok=True)
        nvcc.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {release}, V{release}.93'\n")
        nvcc.chmod(0o755)
        return self.check("--python", str(site), "--probe", "off", *arguments, env=self.env(CUDA_HOME=str(self.folder / "cuda")))

    def test_flashinfer_beside_an_older_nvcc(self) -> None:
        """CUDA_HOME of the server decides, not torch's CUDA; SM 12.x needs nvcc 12.9."""
        linked_tree(part("flashinfer-0.7.0"), self.folder / "venv/lib/python3.11/site-packages")
        answer = self.flashinfer("12.8", "--gpu", "RTX 5090")
        self.assert_finding(answer, "CC114", "error", "FlashInfer 0.7.0", "nvcc 12.8.93", "12.9 or newer")
        for release, gpu in (("12.9", "RTX 5090"), ("13.0", "RTX 5090"), ("12.8", "B200"), ("12.8", "A100")):
            with self.subTest(release=release, gpu=gpu):
                self.assertEqual(self.flashinfer(release, "--gpu", gpu).of("CC114"), [])

    def test_flashinfer_beside_cubins_of_another_release(self) -> None:
        """FlashInfer reports this itself, unless a variable disables its check."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("flashinfer-0.7.0"), site)
        linked_tree(part("flashinfer-cubin-0.4.0"), site)
        for variables, refused in (({}, True), ({"FLASHINFER_DISABLE_VERSION_CHECK": "1"}, False), ({"FLASHINFER_CUBIN_DIR": "/"}, False)):
            env = self.env(**variables)
            truth = subprocess.run([sys.executable, "-c", CUBIN_DIR, str(site)], capture_output=True, text=True, env=env)
            self.assertEqual("does not match flashinfer version" in truth.stderr, refused, truth.stderr)
            answer = self.check("--python", str(site), "--probe", "off", env=env)
            if refused:
                self.assert_finding(answer, "CC612", "error", "flashinfer-cubin 0.4.0", "flashinfer-python 0.7.0.post1")
            else:
                self.assertEqual(answer.of("CC612"), [], answer.text())

    def test_transformer_engine_with_a_core_of_another_release(self) -> None:
        """Compared with its own import: it compares the versions of the records before it needs a library."""
        for release, refused in (("2.9.0", True), ("2.10.0", False)):
            site = self.folder / release / "site-packages"
            linked_tree(part("transformer-engine-2.10.0"), site)
            linked_tree(part(f"transformer-engine-cu12-{release}"), site)
            truth = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(site)!r}); import transformer_engine"],
                                   capture_output=True, text=True, env=self.env())
            self.assertEqual("package version mismatch" in truth.stderr, refused, truth.stderr)
            answer = self.check("--python", str(site), "--probe", "off")
            if refused:
                self.assert_finding(answer, "CC612", "error", "transformer-engine-cu12 2.9.0", "transformer-engine 2.10.0")
            else:
                self.assertEqual(answer.of("CC612"), [], answer.text())

    def test_flashinfer_with_a_folder_without_nvcc(self) -> None:
        """FlashInfer uses CUDA_HOME as it is: the nvcc on PATH is not used."""
        linked_tree(part("flashinfer-0.7.0"), self.folder / "venv/lib/python3.11/site-packages")
        self.flashinfer("12.9")
        (self.folder / "runtime/lib64").mkdir(parents=True)
        site, path = self.folder / "venv/lib/python3.11/site-packages", f"{self.folder}/cuda/bin:/usr/bin:/bin"
        named = self.check("--python", str(site), "--probe", "off", env=self.env(CUDA_HOME=str(self.folder / "runtime"), PATH=path))
        self.assert_finding(named, "CC114", "note", "FlashInfer 0.7.0", "finds no nvcc", f"{self.folder}/runtime/bin/nvcc")
        unnamed = self.check("--python", str(site), "--probe", "off", env=self.env(PATH=path))
        self.assertEqual(unnamed.of("CC114"), [], unnamed.text())

    def test_numba_with_a_toolkit_newer_than_the_driver(self) -> None:
        """libNVVM is where NVIDIA's installers put it; Numba's own search finds the same file."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("numba-0.61.2"), site)
        toolkit = linked_tree(part("pypi-repaired-13.0.2") / "nvidia/cu13", self.folder / "cuda")
        (toolkit / "nvvm/lib64").mkdir()
        (toolkit / "nvvm/lib64/libnvvm.so.4").symlink_to("../../lib/libnvvm.so.4")
        env = self.env(CUDA_HOME=str(toolkit), PATH="/usr/bin:/bin")
        own = subprocess.run([sys.executable, "-c", NUMBA, str(site)], env=env, check=True, capture_output=True, text=True)

        def judge(driver: str, **more: str) -> Answer:
            return self.check("--python", str(site), "--probe", "off", "--driver", driver, env={**env, **more})

        answer = judge("535.104.05")
        self.assert_finding(answer, "CC214", "warning", "Numba 0.61.2 passes PTX 9.0 to driver 535.104.05", "up to 8.2")
        pick, = (one for one in answer.report["inventory"]["picks"] if one["consumer"] == "Numba 0.61.2")
        self.assertEqual(pick["path"], own.stdout.strip())
        self.assertEqual(judge("580.65.06").of("CC214"), [])
        self.assertEqual(judge("535.104.05", NUMBA_CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY="1").of("CC214"), [])

    def test_numba_cuda_with_the_libnvvm_of_a_wheel(self) -> None:
        """Before 0.16 the driver links its PTX, unless pynvjitlink is installed."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        for name in ("numba-0.61.2", "numba-cuda-0.10.1", "ptxas-12.9"):
            linked_tree(part(name), site)

        def judge(driver: str) -> Answer:
            return self.check("--python", str(site), "--probe", "off", "--gpu", "A100", "--driver", driver)

        finding = self.assert_finding(judge("570.133.20"), "CC214", "error", "Numba 0.10.1 passes PTX 8.8 to driver 570.133.20")
        self.assertEqual(finding["fix"][0]["text"], "python3 -m pip install 'nvidia-cuda-nvcc-cu12<12.9'")
        self.assertEqual(judge("575.57.08").of("CC214"), [])
        (site / "pynvjitlink").mkdir()
        self.assertEqual(judge("570.133.20").of("CC214"), [])

    def test_ctranslate2_beside_a_torch_of_another_cudnn(self) -> None:
        site = self.folder / "venv/lib/python3.11/site-packages"
        for name in ("torch-cu128-set", "ctranslate2-4.4.0"):
            linked_tree(part(name), site)
        answer = self.check("--python", str(site), "--probe", "off", "--gpu", "A100", "--driver", "570.133.20")
        finding = self.assert_finding(answer, "CC401", "error", "ctranslate2 4.4.0 opens libcudnn_ops_infer.so.8")
        self.assertIn("a release of ctranslate2 for cuDNN 9", finding["fix"][0]["text"])

    def test_numba_cuda_with_a_driver_of_cuda_12(self) -> None:
        """It replaces Numba's own CUDA target, and links with nvJitLink."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        for name in ("numba-0.61.2", "numba-cuda-0.30.4"):
            linked_tree(part(name), site)
        (site / "nvidia/cu13/lib").mkdir(parents=True)
        (site / "nvidia/cu13/lib/libnvvm.so.4").write_bytes(b"\x7fELF")
        env = self.env(PATH="/usr/bin:/bin")
        answer = self.check("--python", str(site), "--probe", "off", "--driver", "535.104.05", env=env)
        self.assert_finding(answer, "CC208", "error", "driver 535.104.05", "Numba 0.30.4", "580")
        self.assertEqual(answer.of("CC214"), [])
        self.assert_pass(self.check("--python", str(site), "--probe", "off", "--driver", "580.65.06", env=env))

    def cupy_with(self, headers: str) -> Answer:
        """CuPy of CUDA 12, NVRTC 12.9 from its wheel and the headers of the toolkit that CUDA_PATH names."""
        site = self.folder / headers / "site"
        for name in ("cupy-14-12x-set", "nvrtc-12.9"):
            linked_tree(part(name), site)
        linked_tree(next(part(headers).glob("nvidia/*/include")), self.folder / headers / "include")
        return self.check("--python", str(site), "--probe", "off", env=self.env(CUDA_PATH=str(self.folder / headers)))

    def test_cupy_with_headers_that_its_nvrtc_does_not_compile(self) -> None:
        for headers, because in {"cuda-headers-12.4": "__nv_fp8_e8m0", "cuda-headers-13.0": "cuda_fp8.hpp"}.items():
            with self.subTest(headers=headers):
                finding = self.assert_finding(self.cupy_with(headers), "CC115", "warning", "CuPy 14.2.0", headers[-4:], "NVRTC 12.9")
                self.assertIn(because, finding["because"])
                self.assertEqual(finding["fix"][0]["text"], 'pip install "nvidia-cuda-runtime-cu12==12.9.*"')
        nvrtc = next(part("nvrtc-12.9").glob("nvidia/*/lib/libnvrtc.so.12"))
        for headers, result in {"cuda-headers-12.4": "0", "cuda-headers-13.0": "6"}.items():
            folder = self.folder / headers / "include"
            done = subprocess.run([sys.executable, "-c", COMPILE, str(nvrtc), str(folder), "cuda_fp8.h"],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.stdout.split("\n")[0], result, done.stdout + done.stderr)
            if result != "0":
                self.assertIn("this declaration has no storage class or type specifier", done.stdout)

    def test_cupy_with_an_nvrtc_that_is_older_than_the_gpu(self) -> None:
        """CuPy's own kernels have code for the GPU; NVRTC makes a cubin for sm_90."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        for name in ("cupy-14-12x-set", "nvrtc-12.1"):
            linked_tree(part(name), site)

        def judge(gpu: str) -> Answer:
            return self.check("--python", str(site), "--probe", "off", "--gpu", gpu, "--driver", "580.95.05")

        finding = self.assert_finding(judge("RTX 5090"), "CC607", "error", "NVRTC 12.1, which makes no code for RTX 5090", "sm_90")
        self.assertEqual(finding["fix"][0]["text"], "python3 -m pip install 'nvidia-cuda-nvrtc-cu12>=12.8'")
        self.assertEqual([one["level"] for one in judge("H100").of("CC607") if "NVRTC" in one["message"]], [])

    def test_cupy_with_the_headers_of_torch(self) -> None:
        """Both are of CUDA 13.0, as in the working environment."""
        answer = self.judge("torch-2.11.0-set", "extensions-for-torch-2.11", "cuda-headers-13.0")
        headers, = (pick for pick in answer.report["inventory"]["picks"] if pick["tool"] == "CUDA headers")
        self.assertEqual(headers["version"]["value"][:4], "13.0", headers)
        self.assertEqual(answer.of("CC115"), [], answer.text())

    def test_builtins_of_another_release_in_the_same_folder_are_unused(self) -> None:
        """Left behind by an upgrade: torch preloads the first one found, NVRTC opens those of its own release."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("torch-2.11.0-set"), site)
        stale = next(part("nvrtc-12.9").glob("nvidia/*/lib/libnvrtc-builtins.so.12.9"))
        (site / "nvidia/cu13/lib" / stale.name).symlink_to(stale)
        answer = self.judge()
        loaded = {Path(library["name"]).name for trace in answer.report["traces"] for library in trace["libraries"]}
        self.assertIn(stale.name, loaded, answer.text())
        self.assertEqual(answer.of("CC402"), [], answer.text())

    def test_a_damaged_library_is_named_with_the_loaders_words(self) -> None:
        """Empty, a Git LFS pointer, a web page, truncated: the loader stops there, even if intact copies exist."""
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n"
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("torch-2.11.0-set"), site)
        for path, content, code, word, loaded in (
                ("nvidia/cu13/lib/libcublasLt.so.13", b"", "CC401", "file too short", True),
                ("torch/lib/libc10.so", b"<html>" * 40, "CC401", "invalid ELF header", True),
                ("torch/lib/libtorch_cuda.so", b"\x7fELF", "CC401", "file too short", False),
                ("nvidia/nccl/lib/libnccl.so.2", None, "CC401", "the file is shorter than its segments", False),
                ("nvidia/cudnn/lib/libcudnn_graph.so.9", pointer, "CC305", "invalid ELF header", False)):
            with self.subTest(path=path, word=word):
                damaged, whole = site / path, self.folder / "whole"
                with damaged.open("rb") as file:
                    start = file.read(4096)
                damaged.rename(whole)
                damaged.write_bytes(start if content is None else content)
                finding = self.assert_finding(self.judge(), code, "error", damaged.name, word)
                self.assertIn("--force-reinstall", finding["fix"][0]["text"])
                if loaded:
                    command = ["ldd", str(site / "torch/lib/libtorch_cuda.so")]
                    out = subprocess.run(command, capture_output=True, text=True)
                    self.assertIn(f"{damaged.name}: {word}", out.stdout + out.stderr)
                whole.replace(damaged)

    def test_a_folder_of_libtorch(self) -> None:
        """Its libraries of torch are next to it, and no Python has torch: what it lacks is what ldd misses."""
        linked_tree(part("torch-2.11.0-set") / "torch/lib", self.folder / "libtorch/lib")
        library = self.folder / "libtorch/lib/libtorch_cuda.so"
        out = subprocess.run(["ldd", str(library)], capture_output=True, text=True).stdout
        answer = self.check("--probe", "off", "--module", str(library))
        finding = self.assert_finding(answer, "CC401", "error", "libtorch_cuda.so does not load")
        absent = {line.split()[0] for line in out.splitlines() if line.endswith("=> not found")}
        self.assertTrue(absent)
        self.assertEqual({one["value"] for one in finding["found"][1:]}, {"no such file"})
        self.assertEqual({one["what"] for one in finding["found"][1:]}, absent)

    def test_the_same_library_under_another_name(self) -> None:
        """torchaudio's library in a package that is in no table and no record."""
        site = self.folder / "venv/lib/python3.11/site-packages"
        linked_tree(part("torch-2.11.0-set"), site)
        linked_tree(part("torchaudio-2.8.0") / "torchaudio/lib", site / "soundkernels")
        (site / "soundkernels/__init__.py").write_text("")
        answer = self.judge()
        self.assert_finding(answer, "CC612", "warning", "libtorchaudio.so needs libcudart.so.12", "torch 2.11.0")


class OtherPackages(CheckCase):
    """Packages that are no framework and in no table, without torch."""

    def judge(self, name: str, *arguments: str) -> Answer:
        site = self.folder / "venv/lib/python3.11/site-packages"
        if not site.exists():
            linked_tree(part(name), site)
        return self.check("--python", str(site), "--probe", "off", *arguments)

    def test_the_only_library_for_gpus_does_not_load(self) -> None:
        gpu = ("--gpu", "T4", "--driver", "535.104.05")
        self.assert_finding(self.judge("ctransformers-0.2.27", *gpu), "CC401", "error", "ctransformers 0.2.27 does not load: libcudart.so.12")
        self.assert_finding(self.judge("ctransformers-0.2.27"), "CC401", "warning", "ctransformers 0.2.27 does not load")
        beside = self.folder / "venv/lib/python3.11/site-packages/nvidia/cu12/lib"
        beside.mkdir(parents=True)
        for name in ("libcudart.so.12", "libcublas.so.12"):
            (beside / name).write_bytes(b"\x7fELF")
        self.assertEqual(self.judge("ctransformers-0.2.27", *gpu).of("CC401"), [])

    def test_the_name_of_a_wheel_says_its_cuda(self) -> None:
        old = self.judge("tensorrt-lean-cu13-10.15.1", "--gpu", "RTX 3090", "--driver", "570.133.07")
        self.assert_finding(old, "CC208", "error", "too old for tensorrt-lean-cu13-libs 10.15.1.29", "580.65.06")
        new = self.judge("tensorrt-lean-cu13-10.15.1", "--gpu", "RTX 3090", "--driver", "580.95.05")
        self.assertEqual(new.of("CC208"), [])
        self.assertLessEqual({level for level in new.levels() if level[0] == "CC401"}, {("CC401", "unknown")})

    def test_a_numba_that_newer_drivers_break(self) -> None:
        """Its own CUDA target, which numba-cuda replaces: no framework, and the driver is compared with it."""
        self.assert_finding(self.judge("numba-0.61.2", "--driver", "580.65.06"), "CC110", "warning", "Numba before 0.63")
        self.assertEqual(self.judge("numba-0.61.2", "--driver", "570.133.20").of("CC110"), [])

    def test_a_package_that_nothing_is_compared_with_is_named(self) -> None:
        answer = self.judge("nixl-cu13-1.5.1", "--driver", "580.95.05")
        libraries, = (area for area in answer.report["checklist"] if area["area"] == "libraries")
        self.assertIn("nixl-cu13 1.5.1: torch is not installed", json.dumps(libraries))


if __name__ == "__main__":
    unittest.main()
