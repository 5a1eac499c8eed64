# Pairs that once ended in silence: each machine is made here of small libraries that gcc links, so no part is fetched.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PTXGUARD, Answer, CheckCase, linked_tree, part

SITE = "/usr/lib/python3.12/site-packages"
TORCH = "__version__ = '{}'\ncuda = {}\nhip = None\n"


class Machine(CheckCase):
    """A tree of libraries and packages."""

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"
        self.write("etc/os-release", 'ID=debian\nVERSION_ID="12"\n')
        (self.root / "usr/bin").mkdir(parents=True)

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def library(self, path: str, code: str = "int f(void){return 0;}", soname: str = "", links: tuple = (), runpath: str = "") -> Path:
        """`links`: files that it needs."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        options = [f"-Wl,-soname,{soname}"] if soname else []
        options += [f"-Wl,-rpath,{runpath}"] if runpath else []
        options += ["-Wl,--no-as-needed"] + [str(link) for link in links]
        subprocess.run(["gcc", "-x", "c", "-", "-x", "none", "-shared", "-fPIC", "-o", str(place), *options], input=code, text=True, check=True)
        return place

    def stub(self, soname: str, function: str) -> Path:
        """A library to link with, which the machine does not have."""
        place = self.folder / "stubs" / soname
        place.parent.mkdir(exist_ok=True)
        subprocess.run(["gcc", "-x", "c", "-", "-shared", "-fPIC", "-o", str(place), f"-Wl,-soname,{soname}"],
                       input=f"int {function}(void){{return 0;}}", text=True, check=True)
        return place

    def package(self, name: str, version: str, *files: str, requires: str = "") -> None:
        record = f"{SITE[1:]}/{name}-{version}.dist-info"
        self.write(f"{record}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + (f"Requires-Dist: {requires}\n" if requires else ""))
        self.write(f"{record}/RECORD", "".join(f"{file},,\n" for file in files))

    def torch(self, version: str, cuda: str | None) -> None:
        self.write(f"{SITE[1:]}/torch/version.py", TORCH.format(version, repr(cuda)))
        self.write(f"{SITE[1:]}/torch/__init__.py", "")
        self.package("torch", version)

    def extension(self, name: str, code: str, links: tuple = (), requires: str = "", runpath: str = "") -> None:
        self.library(f"{SITE[1:]}/{name}/_C.so", code, links=links, runpath=runpath)
        self.write(f"{SITE[1:]}/{name}/__init__.py", "from . import _C\n")
        self.package(name, "1.0", f"{name}/__init__.py", f"{name}/_C.so", requires=requires)

    def judge(self, *arguments: str) -> Answer:
        python = ["--python", SITE] if (self.root / SITE[1:]).exists() else []
        return self.check("--root", str(self.root), *python, *arguments)

    def fixes(self, finding: dict) -> str:
        return json.dumps(finding["fix"])


@unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
class Pairs(Machine):
    def test_a_torch_for_cpus_on_a_named_gpu(self) -> None:
        self.torch("2.9.1+cpu", None)
        self.assert_finding(self.judge("--gpu", "H100", "--driver", "580.95.05"), "CC604", "error", "will not use the GPU")

    def test_a_package_that_opens_a_library_which_nothing_brings(self) -> None:
        self.extension("ct", '#include <dlfcn.h>\nvoid*PyInit__C(void){return dlopen("libcublas.so.12",RTLD_LAZY);}')
        library = self.library("usr/local/cuda-13.0/lib64/libcublas.so.13", soname="libcublas.so.13")
        self.write("etc/ld.so.conf", str(library.parent.relative_to(self.root)).join(("/", "\n")))
        finding = self.assert_finding(self.judge("--gpu", "H100", "--driver", "580.95.05"), "CC401", "error", "ct 1.0 opens libcublas.so.12")
        self.assertIn("nvidia-cublas-cu12", self.fixes(finding))

    def test_a_package_that_finds_what_it_opens(self) -> None:
        self.extension("ct", '#include <dlfcn.h>\nvoid*PyInit__C(void){return dlopen("libcublas.so.12",RTLD_LAZY);}')
        self.library("usr/lib/x86_64-linux-gnu/libcublas.so.12", soname="libcublas.so.12")
        self.assertEqual(self.judge("--gpu", "H100", "--driver", "580.95.05").of("CC401"), [])

    def test_a_package_that_opens_what_a_wheel_brings(self) -> None:
        self.extension("ct", '#include <dlfcn.h>\nvoid*PyInit__C(void){return dlopen("libcublas.so.12",RTLD_LAZY);}')
        self.library(f"{SITE[1:]}/nvidia/cublas/lib/libcublas.so.12", soname="libcublas.so.12")
        self.assertEqual(self.judge("--gpu", "H100", "--driver", "580.95.05").of("CC401"), [])

    def test_a_package_that_brings_only_the_front_of_cudnn(self) -> None:
        """auditwheel copies the library that is linked; its parts are opened by name."""
        front = self.library(f"{SITE[1:]}/ct.libs/libcudnn-463fd6d5.so.8.9.7", "int cudnnCreate(void){return 0;}", soname="libcudnn-463fd6d5.so.8.9.7")
        self.extension("ct", "int cudnnCreate(void);int PyInit__C(void){return cudnnCreate();}", links=(front,), runpath="$ORIGIN/../ct.libs")
        self.library(f"{SITE[1:]}/nvidia/cudnn/lib/libcudnn_ops.so.9", soname="libcudnn_ops.so.9")
        finding = self.assert_finding(self.judge("--gpu", "H100", "--driver", "580.95.05"), "CC401", "error", "libcudnn_ops_infer.so.8")
        self.assertIn("nvidia-cudnn-cu12<9", self.fixes(finding))
        self.torch("2.9.1+cu128", "12.8")
        finding = self.assert_finding(self.judge("--gpu", "H100", "--driver", "580.95.05"), "CC401", "warning", "libcudnn_ops_infer.so.8")
        self.assertIn("a release of ct for cuDNN 9, which PyTorch 2.9.1+cu128 has", self.fixes(finding))
        for part_of in ("ops", "cnn", "adv"):
            for use in ("infer", "train"):
                self.library(f"{SITE[1:]}/nvidia/cudnn/lib/libcudnn_{part_of}_{use}.so.8", soname=f"libcudnn_{part_of}_{use}.so.8")
        self.assertEqual(self.judge("--gpu", "H100", "--driver", "580.95.05").of("CC401"), [])

    def test_a_driver_without_its_ptx_compiler(self) -> None:
        self.library("usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05", "int cuInit(unsigned f){return 0;}", soname="libcuda.so.1")
        (self.root / "usr/lib/x86_64-linux-gnu/libcuda.so.1").symlink_to("libcuda.so.580.95.05")
        self.assert_finding(self.judge("--gpu", "H100"), "CC217", "warning", "libnvidia-ptxjitcompiler.so.1")

    def test_two_files_of_one_soname(self) -> None:
        system = self.library("usr/lib/x86_64-linux-gnu/libnccl.so.2.16.2", "int ncclGetVersion(int*v){*v=21602;return 0;}", soname="libnccl.so.2")
        (system.parent / "libnccl.so.2").symlink_to(system.name)
        own = self.library(f"{SITE[1:]}/nvidia/nccl/lib/libnccl.so.2", "int ncclGetVersion(int*v){*v=22907;return 0;} int ncclCommRegister(void){return 0;}", soname="libnccl.so.2")
        self.torch("2.13.0+cu130", "13.0")
        for name in ("libtorch_cuda.so", "libtorch_global_deps.so"):
            self.library(f"{SITE[1:]}/torch/lib/{name}", "int ncclCommRegister(void);int t(void){return ncclCommRegister();}", links=(own,), runpath="$ORIGIN/../../nvidia/nccl/lib")
        self.extension("a", "int ncclGetVersion(int*);int PyInit__C(void){int v;return ncclGetVersion(&v);}", links=(system,))
        self.assert_finding(self.judge(), "CC411", "warning", "ncclCommRegister", "2.16.2", "2.29.7")

    def test_a_library_of_torchs_own_cuda_is_missing(self) -> None:
        runtime = self.library(f"{SITE[1:]}/nvidia/cu13/lib/libcudart.so.13", "int cr(void){return 0;}", soname="libcudart.so.13")
        self.torch("2.11.0+cu130", "13.0")
        for name in ("libtorch.so", "libtorch_global_deps.so"):
            self.library(f"{SITE[1:]}/torch/lib/{name}", "int cr(void);int t(void){return cr();}", links=(runtime,), runpath="$ORIGIN/../../nvidia/cu13/lib")
        self.extension("ext", "int np(void);int cr(void);int PyInit__C(void){return np()+cr();}", links=(self.stub("libnppicc.so.13", "np"), runtime), requires="torch")
        finding = self.assert_finding(self.judge(), "CC401", "error", "libnppicc.so.13")
        self.assertIn("pip install nvidia-npp", self.fixes(finding))

    def test_a_function_that_a_library_without_versions_lacks(self) -> None:
        new = self.library("new/libnccl.so.2", "int ncclGetVersion(int*v){*v=22703;return 0;} int ncclNewCall(void){return 0;}", soname="libnccl.so.2")
        self.library("old/libnccl.so.2", "int ncclGetVersion(int*v){*v=22304;return 0;}", soname="libnccl.so.2")
        program = self.library("prog.so", "int ncclNewCall(void);int main(){return ncclNewCall();}", links=(new,))
        done = subprocess.run([PTXGUARD, "deps", "--isolated", "--format", "json", "--undefined", "--env", f"LD_LIBRARY_PATH={self.root}/old", str(program)],
                              capture_output=True, text=True, env=self.env())
        report = json.loads(done.stdout)
        self.assertEqual(report["verdict"], "fail", done.stdout)
        self.assertIn("ncclNewCall of libnccl.so.2", json.dumps([f for f in report["findings"] if f["code"] == "CC406"]))

    def test_a_package_that_calls_a_function_which_its_library_lacks(self) -> None:
        new = self.library("new/libnccl.so.2", "int ncclNewCall(void){return 0;}", soname="libnccl.so.2")
        self.library("usr/lib/x86_64-linux-gnu/libnccl.so.2", "int ncclGetVersion(int*v){*v=22304;return 0;}", soname="libnccl.so.2")
        self.extension("ext", "int ncclNewCall(void);int PyInit__C(void){return ncclNewCall();}", links=(new,))
        self.assert_finding(self.judge(), "CC406", "error", "ext calls ncclNewCall", "2.23.4")

    def test_a_linux_driver_before_that_of_wsl(self) -> None:
        for folder, version in (("usr/lib/x86_64-linux-gnu", "535.261.03"), ("usr/lib/wsl/lib", "550.163.01")):
            self.library(f"{folder}/libcuda.so.{version}", "int cuInit(unsigned f){return 0;}", soname="libcuda.so.1")
            (self.root / folder / "libcuda.so.1").symlink_to(f"libcuda.so.{version}")
        self.write("etc/ld.so.conf", "/usr/lib/x86_64-linux-gnu\n/usr/lib/wsl/lib\n")
        for arguments in ((), ("--driver", "550.163.01")):
            answer = self.judge("--gpu", "RTX 3090", "--env", "WSL_DISTRO_NAME=Ubuntu", *arguments)
            self.assert_finding(answer, "CC218", "error", "libnvidia-compute-535")

    def test_no_torch_is_advised_that_the_gpu_or_python_refuses(self) -> None:
        runtime = self.stub("libcudart.so.12", "cr")
        self.torch("2.5.0", "12.6")
        self.library(f"{SITE[1:]}/torch/lib/libtorch_global_deps.so", "int cr(void);int g(void){return cr();}", links=(runtime,))
        library = self.library("usr/local/cuda-13.0/lib64/libcudart.so.13", soname="libcudart.so.13")
        self.write("etc/ld.so.conf", f"/{library.parent.relative_to(self.root)}\n")
        for gpu in ("8.7", "V100", "GTX 1080"):
            with self.subTest(gpu=gpu):
                finding = self.assert_finding(self.judge("--gpu", gpu, "--driver", "580.126.09"), "CC401", "error")
                self.assertIn("nvidia-cuda-runtime-cu12", self.fixes(finding))
                self.assertNotIn("torch==", self.fixes(finding))

    def torch_without_wheels(self) -> None:
        self.torch("2.5.0", "12.6")
        self.package("torch", "2.5.0", requires="nvidia-cuda-runtime-cu12==12.6.77")
        self.library(f"{SITE[1:]}/torch/lib/libtorch_global_deps.so", "int cr(void);int g(void){return cr();}",
                     links=(self.stub("libcudart.so.12", "cr"),))

    def test_a_torch_without_any_of_its_packages(self) -> None:
        self.torch_without_wheels()
        for level, arguments in (("warning", ()), ("error", ("--framework", "torch")), ("error", ("--gpu", "A100", "--driver", "570.86.15"))):
            with self.subTest(arguments=arguments):
                finding = self.assert_finding(self.judge(*arguments), "CC401", level, "PyTorch cannot be imported")
                self.assertIn("nvidia-cuda-runtime-cu12==12.6.77", self.fixes(finding))

    def test_a_framework_that_calls_what_its_nccl_lacks(self) -> None:
        new = self.library("new/libnccl.so.2", "int ncclGetVersion(int*v){*v=22907;return 0;} int ncclAlltoAll(void){return 0;}", soname="libnccl.so.2")
        self.torch("2.11.0+cu130", "13.0")
        self.package("torch", "2.11.0+cu130", requires="nvidia-nccl-cu13==2.29.7")
        self.library(f"{SITE[1:]}/torch/lib/libtorch_cuda.so", "int ncclAlltoAll(void);int t(void){return ncclAlltoAll();}", links=(new,), runpath="$ORIGIN/../../nvidia/nccl/lib")
        taken = f"{SITE[1:]}/nvidia/nccl/lib/libnccl.so.2"
        self.library(taken, "int ncclGetVersion(int*v){*v=22703;return 0;}", soname="libnccl.so.2")
        finding = self.assert_finding(self.judge(), "CC406", "error", "ncclAlltoAll", "2.27.3")
        self.assertIn("nvidia-nccl-cu13==2.29.7", self.fixes(finding))
        shutil.copy(new, self.root / taken)
        self.assertEqual(self.judge().of("CC406"), [])

    def test_a_build_without_a_compiler(self) -> None:
        self.assert_finding(self.judge("--build"), "CC106", "error", "--build")


@unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
class PairsOfParts(Machine):
    """The same with the compilers of real wheels."""

    def test_libnvvm_behind_the_number_of_its_interface(self) -> None:
        folder = self.root / "usr/local/cuda/nvvm/lib64"
        folder.mkdir(parents=True)
        source = part("toolkit-13.1") / "nvidia/cu13/lib/libnvvm.so.4"
        shutil.copytree(part("numba-0.61.2"), self.root / SITE[1:], symlinks=True)
        shutil.copy(source, folder / "libnvvm.so.4.0.0")
        (folder / "libnvvm.so.4").symlink_to("libnvvm.so.4.0.0")
        (folder / "libnvvm.so").symlink_to("libnvvm.so.4")
        self.assert_finding(self.judge("--gpu", "T4", "--driver", "580.95.05"), "CC214", "warning", "PTX 9.1")

    def test_tensorflow_without_any_of_its_packages(self) -> None:
        site = self.root / SITE[1:]
        site.mkdir(parents=True)
        for part_of in part("tensorflow-2.18-set").glob("tensorflow*"):
            linked_tree(part_of, site / part_of.name)
        answer = self.judge("--gpu", "A100", "--driver", "570.86.15")
        self.assert_finding(answer, "CC401", "error", "TensorFlow does not use the GPU without libcudart.so.12")
        for arguments in ((), ("--gpu", "A100", "--driver", "570.86.15")):
            with self.subTest(arguments=arguments):
                answer = self.judge("--framework", "tensorflow", *arguments)
                self.assert_finding(answer, "CC401", "error", "TensorFlow does not use the GPU without")
                self.assertEqual(self.assert_finding(answer, "CC111", "error")["caused_by"]["code"], "CC401")
        self.assert_without_header(site)

    def assert_without_header(self, site: Path) -> None:
        """A header that names what it opens may be absent: its build decides, and what is not known is unknown."""
        headers = list(site.rglob("cuda_config.h"))
        self.assertTrue(headers)
        for header in headers:
            header.unlink()
        answer = self.judge("--gpu", "A100", "--driver", "570.86.15")
        self.assert_finding(answer, "CC401", "error", "TensorFlow does not use the GPU without libcudart.so.12")
        self.assertEqual([finding["level"] for finding in answer.of("CC111")], ["note"])
        build = site / "tensorflow/python/platform/build_info.py"
        text = build.read_text()
        build.unlink()
        build.write_text(text.replace("'cuda_version', '", "'cuda_release', '"))
        for record in site.glob("tensorflow-*.dist-info"):
            record.rename(site / "tensorflow-2.99.0.dist-info")
            metadata = site / "tensorflow-2.99.0.dist-info/METADATA"
            text = metadata.read_text()
            metadata.unlink()
            metadata.write_text(text.replace("Version: 2.18.0", "Version: 2.20.9"))
        answer = self.judge("--gpu", "A100", "--driver", "570.86.15")
        self.assertEqual([finding["level"] for finding in answer.of("CC111")], ["unknown"], answer.text())

    def test_the_nvrtc_of_a_program_of_conda(self) -> None:
        prefix = self.root / "opt/conda"
        (prefix / "lib/python3.12/site-packages").mkdir(parents=True)
        nvrtc = shutil.copy(next(part("nvrtc-12.9").rglob("libnvrtc.so.12")), prefix / "lib")
        self.library("opt/conda/lib/plugins/libOpenMMCUDA.so",
                     "int nvrtcGetPTX(void*,char*);int cuModuleLoadDataEx(void);int x(void){return nvrtcGetPTX(0,0)+cuModuleLoadDataEx();}",
                     links=(nvrtc, self.stub("libcuda.so.1", "cuModuleLoadDataEx")), runpath="$ORIGIN/..")
        self.write("opt/conda/conda-meta/openmm-8.2.0-py312_0.json",
                   json.dumps({"name": "openmm", "version": "8.2.0", "depends": ["cuda-nvrtc >=12.9.86,<13.0a0"], "files": ["lib/plugins/libOpenMMCUDA.so"]}))
        answer = self.check("--root", str(self.root), "--python", "/opt/conda/lib/python3.12/site-packages", "--gpu", "A100", "--driver", "550.54.15")
        finding = self.assert_finding(answer, "CC214", "warning", "openmm passes PTX 8.8")
        self.assertIn("cuda-version<=12.4", self.fixes(finding))

    def test_the_nvrtc_of_a_package_that_is_no_framework(self) -> None:
        nvrtc = next(part("nvrtc-12.9").rglob("libnvrtc.so.12"))
        own = self.root / SITE[1:] / "nvidia/cuda_nvrtc/lib"
        own.mkdir(parents=True)
        shutil.copy(nvrtc, own)
        driver = self.stub("libcuda.so.1", "cuModuleLoadData")
        self.extension("ext", "int nvrtcGetPTX(void*,char*);int cuModuleLoadData(void**,const void*);int PyInit__C(void){return nvrtcGetPTX(0,0)+cuModuleLoadData(0,0);}",
                       links=(own / "libnvrtc.so.12", driver), runpath="$ORIGIN/../nvidia/cuda_nvrtc/lib")
        finding = self.assert_finding(self.judge("--gpu", "T4", "--driver", "535.261.03"), "CC214", "warning", "ext passes PTX 8.8")
        self.assertIn("nvidia-cuda-nvrtc-cu12<12.3", self.fixes(finding))


if __name__ == "__main__":
    unittest.main()
