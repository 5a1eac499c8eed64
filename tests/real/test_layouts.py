# Real parts in the arrangements that users have: conda, Debian, HPC SDK, image trees, virtual environments, Windows.
# Most of them are fine and must have no finding; each failing one is there for what it reports.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import unittest
from pathlib import Path

from support import CheckCase, driver_libs, linked_tree, part, toolkit

USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class LayoutCase(CheckCase):
    def assert_silent(self, answer, *codes: str) -> None:
        for code in codes:
            self.assertEqual(answer.of(code), [], answer.text())

    def nvcc(self, answer) -> str:
        return answer.report["build"]["nvcc"]


class LiveLayouts(LayoutCase):
    """Found and really compiled with, through the variables of an activated environment."""

    def conda(self) -> Path:
        kit, prefix = Path(toolkit("toolkit-13.3")), self.folder / "conda"
        linked_tree(kit / "bin", prefix / "bin")
        linked_tree(kit / "nvvm", prefix / "nvvm")
        linked_tree(kit / "include", prefix / "targets/x86_64-linux/include")
        linked_tree(kit / "lib", prefix / "targets/x86_64-linux/lib")
        (prefix / "conda-meta").mkdir()
        (prefix / "bin/nvcc.profile").unlink()
        (prefix / "bin/nvcc.profile").write_text(
            "TOP              = $(_HERE_)/..\nNVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice\n"
            "PATH            += $(TOP)/nvvm/bin:$(_HERE_):\n"
            'INCLUDES        +=  "-I$(TOP)/targets/x86_64-linux/include" $(_SPACE_)\n'
            'LIBRARIES        =+ $(_SPACE_) "-L$(TOP)/targets/x86_64-linux/lib"\n')
        return prefix

    def test_an_active_conda_environment(self) -> None:
        prefix = self.conda()
        env = self.env(CONDA_PREFIX=str(prefix), PATH=f"{prefix}/bin:/usr/bin:/bin")
        answer = self.check("--arch", "80-real", env=env)
        self.assert_pass(answer)
        self.assertEqual(self.nvcc(answer), f"{prefix}/bin/nvcc")
        self.assertEqual(answer.report["build"]["ptx_version"], "9.3")

    def test_a_conda_environment_with_a_torch_of_another_major(self) -> None:
        prefix = self.conda()
        site = prefix / "lib/python3.11/site-packages"
        site.mkdir(parents=True)
        (prefix / "bin/python").write_text("#!/bin/sh\n")
        (prefix / "bin/python").chmod(0o755)
        for entry in part("torch-2.5.1").iterdir():
            (site / entry.name).symlink_to(entry)
        env = self.env(CONDA_PREFIX=str(prefix), PATH=f"{prefix}/bin:/usr/bin:/bin")
        self.assert_finding(self.check("--build", env=env), "CC601", "error", "2.5.1+cu124", "12.4", "13.3")
        self.assert_finding(self.check(env=env), "CC601", "note", "a build here would use")

    def test_a_wrapper_of_an_hpc_sdk(self) -> None:
        sdk = self.folder / "hpc_sdk/Linux_x86_64/24.7"
        linked_tree(part("nvcc-12.4-working"), sdk / "cuda/12.4")
        (sdk / "compilers/bin").mkdir(parents=True)
        wrapper = sdk / "compilers/bin/nvcc"
        wrapper.write_text('#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexec "$here/../../cuda/12.4/bin/nvcc" "$@"\n')
        wrapper.chmod(0o755)
        answer = self.check(env=self.env(NVHPC_ROOT=str(sdk), PATH=f"{wrapper.parent}:/usr/bin:/bin"))
        self.assert_pass(answer)
        self.assert_silent(answer, "CC103", "CC105")

    def test_a_link_chain_as_alternatives_make_it(self) -> None:
        kit, links = toolkit("pypi-repaired-13.0.2"), self.folder / "links"
        links.mkdir()
        (links / "cuda-13").symlink_to(kit)
        (links / "alternative").symlink_to(links / "cuda-13")
        (links / "cuda").symlink_to(links / "alternative")
        env = self.env(CUDA_HOME=f"{links}/cuda", CUDA_PATH=f"{links}/cuda-13", PATH=f"{links}/alternative/bin:/usr/bin:/bin")
        answer = self.check(env=env)
        self.assert_pass(answer)
        self.assert_silent(answer, "CC103")
        named = [t for t in answer.report["inventory"]["toolkits"] if t["real_root"] == os.path.realpath(kit)]
        self.assertEqual(len(named), 1)
        losers = answer.report["inventory"]["picks"][0].get("losers", [])
        self.assertEqual([l for l in losers if str(links) in l["path"]], [])

    def test_a_link_to_nvcc_alone_and_its_fix(self) -> None:
        kit, links = toolkit("pypi-repaired-13.0.2"), self.folder / "links"
        links.mkdir()
        (links / "nvcc").symlink_to(f"{kit}/bin/nvcc")
        path = f"{links}:/usr/bin:/bin"
        found = self.assert_finding(self.check(env=self.env(PATH=path)), "CC107", "error", "link", "nvcc.profile")
        fix = next(f["text"] for f in found["fix"] if f["kind"] == "setting")
        folder = fix.replace("export PATH=", "").replace(':"$PATH"', "")
        self.assert_pass(self.check(env=self.env(PATH=f"{folder}:{path}")))

    def test_programs_for_another_machine_are_one_finding(self) -> None:
        kit = self.folder / "aarch64"
        shutil.copytree(part("nvcc-12.4-working"), kit, symlinks=True)
        for name in ("nvcc", "ptxas", "cudafe++", "fatbinary", "nvlink"):
            with open(kit / "bin" / name, "r+b") as program:
                program.seek(18)
                program.write(b"\xb7")  # e_machine: AArch64
        answer = self.check("--toolkit", str(kit))
        self.assertEqual(len(answer.of("CC107")), 1, answer.text())
        self.assert_finding(answer, "CC107", "error", "nvcc", "ptxas", "Exec format error")

    def test_nvcc_before_13_does_not_read_nvcc_ccbin(self) -> None:
        kit = str(part("nvcc-11.8-working"))
        if not shutil.which("clang++") or not shutil.which("gcc"):
            self.skipTest("no clang++ beside gcc here")
        plain = self.check("--toolkit", kit)
        if not plain.of("CC108"):
            self.skipTest("the gcc here is one that CUDA 11.8 takes")
        named = self.check("--toolkit", kit, env=self.env(NVCC_CCBIN=shutil.which("clang++")))
        found = self.assert_finding(named, "CC108", "error", "gcc")
        for fix in found["fix"]:
            if fix["kind"] != "setting":
                continue
            name, value = fix["text"].replace("export ", "").split("=", 1)
            again = self.check("--toolkit", kit, env=self.env(**{name: value.strip("'\"")}))
            self.assertEqual(again.of("CC108"), [], again.text())

    def test_a_ptxas_of_a_wheel_calls_no_host_compiler(self) -> None:
        answer = self.check("--toolkit", str(part("ptxas-11.8") / "nvidia/cuda_nvcc"), "--arch", "80")
        self.assert_silent(answer, "CC108")
        self.assert_finding(answer, "CC105", "error", "nvcc")


class Drivers(LayoutCase):
    def setUp(self) -> None:
        super().setUp()
        self.kit = toolkit("pypi-repaired-13.0.2")

    def test_what_an_old_driver_means_for_each_kind_of_list(self) -> None:
        libs = driver_libs("driver-535")
        for arch, level in (("75-real;80-real", None), ("80", "warning"), ("80;90-virtual", "error"), ("90a", None),
                            ("100f", None), ("90a-virtual", "error"), ("8.0;9.0+PTX", "warning"), ("native", "unknown"),
                            ("-gencode arch=compute_80,code=sm_80", None), ("all-major", "warning")):
            with self.subTest(arch=arch):
                answer = self.check("--toolkit", self.kit, "--driver-libs", libs, f"--arch={arch}")
                self.assertEqual([f["level"] for f in answer.of("CC202")], [level] if level else [], answer.text())
                self.assert_finding(answer, "CC208", "error", "535", "580.65.06")

    def test_gpus_decide_who_needs_ptx(self) -> None:
        for gpu, level in (("RTX 3090", None), ("A100-SXM4-80GB", None), ("H100", "error"), ("GB10", "error"), ("RTX 5090", "error")):
            with self.subTest(gpu=gpu):
                answer = self.check("--toolkit", self.kit, "--driver", "535", "--gpu", gpu, "--arch", "80")
                self.assertEqual([f["level"] for f in answer.of("CC202")], [level] if level else [], answer.text())

    def test_branches_and_drivers_newer_than_the_tables(self) -> None:
        for driver in ("580", "580.65.06", "590"):
            with self.subTest(driver=driver):
                self.assert_pass(self.check("--toolkit", self.kit, "--driver", driver, "--arch", "80"))
        answer = self.check("--toolkit", self.kit, "--driver", "700.10", "--arch", "80")
        self.assertEqual((answer.code, answer.report["verdict"], answer.errors()), (0, "unknown", set()), answer.text())
        self.assert_finding(answer, "CC210", "unknown", "700.10")

    def test_a_stub_is_no_driver(self) -> None:
        stub = next((p for p in Path("/usr/local").glob("cuda*/lib64/stubs/libcuda.so")), None)
        if not stub:
            self.skipTest("no stub of libcuda here")
        (self.folder / "stubs").mkdir()
        shutil.copy(stub, self.folder / "stubs/libcuda.so.1")
        answer = self.check("--toolkit", self.kit, env=self.env(LD_LIBRARY_PATH=f"{self.folder}/stubs"))
        self.assert_finding(answer, "CC210", "unknown", "stub")
        self.assertEqual(answer.code, 0)


class Trees(LayoutCase):
    """Unpacked systems: nothing in them runs, and an option may name a path on either side."""

    def image(self) -> Path:
        root = self.folder / "image"
        linked_tree(Path(toolkit("toolkit-13.3")), root / "usr/local/cuda-13.3")
        (root / "etc/alternatives").mkdir(parents=True)
        (root / "usr/local/cuda").symlink_to("/etc/alternatives/cuda")
        (root / "etc/alternatives/cuda").symlink_to("/usr/local/cuda-13.3")
        return root

    def test_an_image_whose_path_nobody_told(self) -> None:
        answer = self.check("--root", str(self.image()))
        self.assert_pass(answer)
        self.assert_silent(answer, "CC112")
        with_path = self.check("--root", str(self.folder / "image"), "--env", f"PATH={USUAL_PATH}")
        self.assert_finding(with_path, "CC112", "warning")

    def test_options_name_a_place_on_either_side(self) -> None:
        root = self.image()
        for folder in ("/usr/local/cuda", f"{root}/usr/local/cuda", f"{root}/usr/local/cuda-13.3", f"{root}/usr/local/cuda/bin"):
            with self.subTest(folder=folder):
                answer = self.check("--root", str(root), "--toolkit", folder)
                self.assert_pass(answer)
                self.assertTrue(self.nvcc(answer).startswith("/usr/local/cuda"), self.nvcc(answer))

    def test_a_driver_library_inside_the_tree(self) -> None:
        root, libs = self.image(), self.folder / "image/usr/lib/wsl/lib"
        linked_tree(Path(driver_libs("driver-550")), libs)
        for folder in (str(libs), "/usr/lib/wsl/lib"):
            answer = self.check("--root", str(root), "--toolkit", "/usr/local/cuda", "--driver-libs", folder, "--arch", "80-virtual")
            self.assert_finding(answer, "CC202", "error", "8.4", "9.3", "predicted")

    def test_debians_split_layout(self) -> None:
        answer = self.check("--root", str(part("debian-nvcc-12.4")), "--env", "PATH=/usr/bin:/bin", "--arch", "80")
        self.assert_pass(answer)
        self.assertEqual(self.nvcc(answer), "/usr/bin/nvcc")

    def test_a_script_that_cannot_be_followed_is_unknown(self) -> None:
        root = self.image()
        (root / "opt/bin").mkdir(parents=True)
        (root / "opt/bin/nvcc").write_text('#!/bin/sh\nexec "$(choose_cuda)/bin/nvcc" "$@"\n')
        (root / "opt/bin/nvcc").chmod(0o755)
        answer = self.check("--root", str(root), "--env", "PATH=/opt/bin:/usr/bin")
        self.assert_finding(answer, "CC105", "unknown", "/opt/bin/nvcc")
        self.assertEqual(answer.errors(), set(), answer.text())

    def test_tensorflow_with_the_ptxas_of_a_wheel(self) -> None:
        # 2.15 uses 12.3.103, which newer releases skip; on an H100 it is among those that miscompile, too.
        for ptxas, gpu, expected in (("ptxas-12.3.103", "A100", ["warning"]), ("ptxas-12.3.103", "H100", ["warning", "warning"]),
                                     ("ptxas-12.6.85", "H100", []), ("ptxas-12.1", "A100", [])):
            with self.subTest(ptxas=ptxas, gpu=gpu):
                root = self.folder / f"{ptxas}-{gpu}"
                site = root / "usr/local/lib/python3.11/site-packages"
                linked_tree(part("tensorflow-2.15.0"), site)
                linked_tree(part(ptxas), site)
                (root / "usr/local/bin").mkdir(parents=True)
                (root / "usr/local/bin/python3").write_bytes(b"\x7fELF")
                (root / "usr/local/bin/python3").chmod(0o755)
                answer = self.check("--root", str(root), "--gpu", gpu)
                self.assertEqual([f["level"] for f in answer.of("CC110")], expected, answer.text())
                self.assert_silent(answer, "CC601", "CC602", "CC105")


class WindowsTrees(LayoutCase):
    ROOT = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"

    def tree(self) -> Path:
        """Two releases; the older one's nvcc.exe is the newer one's with another number, as no wheel has it."""
        root = self.folder / "windows"
        cuda = root / "C/Program Files/NVIDIA GPU Computing Toolkit/CUDA"
        linked_tree(part("win-toolkit-13.0") / "nvidia/cu13", cuda / "v13.0")
        linked_tree(part("win-ptxas-12.9") / "nvidia/cuda_nvcc", cuda / "v12.9")
        nvcc = (cuda / "v13.0/bin/nvcc.exe").read_bytes()
        (cuda / "v12.9/bin/nvcc.exe").write_bytes(nvcc.replace(b"release 13.0, V13.0.88", b"release 12.9, V12.9.86"))
        return root

    def look(self, root: Path, path: str, cuda_path: str):
        variables = {"PATH": path, "CUDA_PATH": cuda_path, "CUDA_PATH_V12_9": f"{self.ROOT}\\v12.9",
                     "CUDA_PATH_V13_0": f"{self.ROOT}\\v13.0"}
        pairs = [word for name, value in variables.items() for word in ("--env", f"{name}={value}")]
        return self.check("--root", str(root), "--os", "windows", "--arch", "80-real", *pairs)

    def test_one_of_two_releases_on_path_and_in_cuda_path(self) -> None:
        root = self.tree()
        answer = self.look(root, f"%CUDA_PATH%\\bin;{self.ROOT}\\v12.9\\bin;C:\\Windows\\system32", f"{self.ROOT}\\v13.0")
        self.assert_silent(answer, "CC101", "CC102", "CC103")
        self.assertIn("v13.0", self.nvcc(answer))

    def test_path_and_cuda_path_lead_to_different_releases(self) -> None:
        root = self.tree()
        answer = self.look(root, f"{self.ROOT}\\v12.9\\bin;C:\\Windows\\system32", f"{self.ROOT}\\v13.0")
        self.assertTrue(answer.of("CC103"), answer.text())
        for text in ("CUDA_PATH", "PATH", "13.0.88", "12.9.86"):
            self.assertIn(text, str(answer.of("CC103")))


if __name__ == "__main__":
    unittest.main()
