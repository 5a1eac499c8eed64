# Mixed, repaired and misnamed toolkits of real parts.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import Answer, CheckCase, linked_tree, part, toolkit


class MixedToolkits(CheckCase):
    """Each row of what pip installs without complaint, compared with a real compile."""

    def test_cicc_and_headers_newer_than_nvcc(self) -> None:
        answer = self.check("--toolkit", toolkit("pypi-mixed-13.0.88"))
        self.assertEqual((answer.code, answer.report["verdict"]), (1, "fail"))
        self.assertEqual(answer.errors(), {"CC104", "CC201"}, answer.text())
        self.assert_finding(answer, "CC104", "error", "cicc", "13.5.37", "13.0.88")
        found = self.assert_finding(answer, "CC201", "error", "9.5", "9.0", "Unsupported .version 9.5; current version is '9.0'")
        installs = 'pip install "cuda-toolkit[nvcc,nvvm,crt,cudart]==13.0.2" && ln -sfn lib '
        self.assertTrue(any(fix["text"].startswith(installs) for fix in found["fix"]), found["fix"])

    def test_crt_headers_newer_than_nvcc(self) -> None:
        answer = self.check("--toolkit", toolkit("pypi-mixed-crt-13.5"))
        self.assert_finding(answer, "CC104", "error", "crt headers", "cudaLaunch", "cuda-toolkit[nvcc,nvvm,crt,cudart]==13.0.2")
        self.assertEqual(answer.of("CC201"), [])

    def test_cicc_older_than_nvcc(self) -> None:
        answer = self.check("--toolkit", toolkit("pypi-mixed-nvvm-13.0"))
        self.assert_finding(answer, "CC104", "error", "cicc", "13.0.88", "13.5.37", "--simt-only")
        self.assertEqual(answer.of("CC201"), [])

    def test_a_newer_runtime_alone_harms_nobody(self) -> None:
        self.assert_pass(self.check("--toolkit", toolkit("pypi-mixed-runtime-13.5")))

    def test_runtime_headers_that_cccl_refuses(self) -> None:
        """Everything else compiles; one include line of CCCL is the difference."""
        root = toolkit("pypi-mixed-cccl")
        answer = self.check("--toolkit", root)
        self.assertEqual(answer.errors(), set(), answer.text())
        self.assert_finding(answer, "CC104", "warning", "runtime headers 13.0", "CCCL refuses")
        source = self.folder / "x.cu"
        source.write_text("#include <cuda/std/version>\n")
        command = [f"{root}/bin/nvcc", "-c", str(source), "-o", str(self.folder / "x.o"), f"-I{root}/include/cccl"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertIn("CUDA compiler and CUDA toolkit headers are incompatible", done.stderr)

    def test_the_repaired_set_passes(self) -> None:
        answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--arch", "80-real;90")
        self.assert_pass(answer)
        self.assertEqual(answer.report["build"]["ptx_version"], "9.0")
        self.assertEqual(answer.report["build"]["architectures_ok"], ["80-real", "90"])

    def test_full_toolkits_pass(self) -> None:
        for minor, ptx in ((1, "9.1"), (3, "9.3"), (5, "9.5")):
            with self.subTest(minor=minor):
                answer = self.check("--toolkit", toolkit(f"toolkit-13.{minor}"))
                self.assert_pass(answer)
                self.assertEqual(answer.report["build"]["ptx_version"], ptx)

    def test_the_fix_line_repairs_the_set(self) -> None:
        site = self.folder / "site"
        shutil.copytree(part("pypi-mixed-13.0.88"), site, symlinks=True)
        before = self.check("--toolkit", str(site / "nvidia/cu13"))
        fix = next(f["text"] for f in before.of("CC201")[0]["fix"] if f["kind"] == "command")
        install, _, link = fix.partition(" && ")
        words = shlex.split(install)
        self.assertEqual(words[:2], ["pip", "install"])
        command = [sys.executable, "-m", "pip", *words[1:], "--quiet", "--upgrade", "--target", str(site)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        subprocess.run(["sh", "-c", link], check=True)
        self.assert_pass(self.check("--toolkit", str(site / "nvidia/cu13")))

    def test_table_only_verdicts_warn(self) -> None:
        answer = self.check("--toolkit", toolkit("pypi-mixed-13.0.88"), "--probe", "off")
        self.assertEqual(answer.errors(), set(), answer.text())
        self.assert_finding(answer, "CC104", "warning")
        self.assert_finding(answer, "CC201", "warning", "predicted")


@unittest.skipUnless(os.environ.get("PTXGUARD_CUDA_HIDDEN"), "this machine's own runtime may be found by every linker")
class Links(CheckCase):
    """Where a build is requested, its last step is tried too."""

    def copy(self, name: str) -> Path:
        """As pip leaves it."""
        root = linked_tree(part(name), self.folder / name) / "nvidia/cu13"
        (root / "lib64").unlink()
        (root / "lib/libcudart.so").unlink()
        return root

    def test_wheels_of_13_0_link_nothing_and_the_fix_works(self) -> None:
        root = self.copy("pypi-repaired-13.0.2")
        answer = self.check("--toolkit", str(root))
        found = self.assert_finding(answer, "CC105", "error", "links no program: its linker finds no CUDA runtime", "cannot find -lcudadevrt")
        fix = next(one["text"] for one in found["fix"] if one["kind"] == "command")
        self.assertEqual(subprocess.run(fix, shell=True).returncode, 0, fix)
        self.assert_pass(self.check("--toolkit", str(root)))

    def test_wheels_of_13_5_lack_the_shared_runtime(self) -> None:
        root = self.copy("toolkit-13.5")
        answer = self.check("--toolkit", str(root))
        self.assert_pass(answer)
        self.assert_finding(answer, "CC105", "note", "with the shared runtime")
        with_flags = self.check("--toolkit", str(root), env=self.env(NVCC_APPEND_FLAGS="-cudart shared"))
        self.assert_finding(with_flags, "CC105", "error", "this build links the shared runtime")

    def test_one_archive_is_missing(self) -> None:
        for missing in ("libcudart_static.a", "libcudadevrt.a"):
            with self.subTest(missing=missing):
                root = linked_tree(part("pypi-repaired-13.0.2"), self.folder / missing) / "nvidia/cu13"
                (root / "lib" / missing).unlink()
                answer = self.check("--toolkit", str(root))
                self.assert_finding(answer, "CC105", "error", f"cannot find -l{missing[3:-2]}")

    def test_a_set_that_links_is_silent(self) -> None:
        self.assert_pass(self.check("--toolkit", toolkit("pypi-repaired-13.0.2")))

    def test_a_conda_environment_without_the_static_runtime(self) -> None:
        prefix = linked_tree(part("pypi-repaired-13.0.2") / "nvidia/cu13", self.folder / "env")
        (prefix / "conda-meta").mkdir()
        (prefix / "conda-meta/cuda-nvcc-13.0.88-0.json").write_text('{"name": "cuda-nvcc", "version": "13.0.88", "files": ["bin/nvcc"]}')
        (prefix / "lib/libcudart_static.a").unlink()
        answer = self.check("--toolkit", str(prefix))
        found = self.assert_finding(answer, "CC105", "error", "links no program with the static runtime")
        self.assertEqual([f["text"] for f in found["fix"]], ['conda install -c conda-forge "cuda-version=13.0" cuda-cudart-dev cuda-cudart-static'])

    def test_nobody_builds(self) -> None:
        """A toolkit that is only installed is not linked."""
        root = self.copy("pypi-repaired-13.0.2")
        answer = self.check(env=self.env(PATH=f"{root}/bin:/usr/bin:/bin"))
        self.assertEqual(answer.of("CC105"), [], answer.text())
        self.assertEqual([p for p in answer.report.get("probes", []) if p["kind"] == "link"], [])

    def test_a_linker_that_misses_something_else(self) -> None:
        """This machine's own files: which of them a build finds is not known."""
        broken = self.folder / "bin"
        broken.mkdir()
        (broken / "ld").write_text("#!/bin/sh\necho '/usr/bin/ld: cannot find crt1.o: No such file or directory' >&2\nexit 1\n")
        (broken / "ld").chmod(0o755)
        compiler = broken / "g++"
        compiler.write_text(f"#!/bin/sh\nexec /usr/bin/g++ -B{broken} \"$@\"\n")
        compiler.chmod(0o755)
        answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), env=self.env(PATH=f"{broken}:/usr/bin:/bin"))
        self.assertEqual(answer.errors(), set(), answer.text())
        self.assert_finding(answer, "CC107", "unknown", "does not link a test file", "cannot find crt1.o")


class CLibraries(CheckCase):
    """Real headers of newer glibcs in place of this system's, in a mount namespace."""

    def compiles(self, glibc: str, kit: str) -> Answer:
        headers = self.folder / glibc
        if not headers.exists():
            shutil.copytree("/usr/include", headers, symlinks=True)
            shutil.copytree(part(glibc) / "usr/include", headers, symlinks=True, dirs_exist_ok=True)
        inside = ["unshare", "--mount", "--propagation", "private", "sh", "-c", f"mount --bind '{headers}' /usr/include && exec \"$@\"", "sh"]
        if subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
            self.skipTest("nothing can be mounted here")
        return self.check("--toolkit", kit, before=inside)

    def test_cospi_of_glibc_2_41(self) -> None:
        answer = self.compiles("glibc-2.41-headers", str(part("nvcc-12.4-working")))
        self.assertEqual(answer.errors(), {"CC116"}, answer.text())
        self.assert_finding(answer, "CC116", "error", "cospi", "CUDA 13.0 and 13.1 compile too")
        self.assert_pass(self.compiles("glibc-2.41-headers", toolkit("pypi-repaired-13.0.2")))

    def test_rsqrt_of_glibc_2_42(self) -> None:
        answer = self.compiles("glibc-newest-headers", toolkit("pypi-repaired-13.0.2"))
        self.assertEqual(answer.errors(), {"CC116"}, answer.text())
        self.assert_finding(answer, "CC116", "error", "rsqrt", "build with CUDA 13.2 or newer")
        self.assert_pass(self.compiles("glibc-newest-headers", toolkit("toolkit-13.3")))

    def test_the_headers_of_an_image(self) -> None:
        """Nothing is compiled there: the two headers are compared."""
        for glibc, kit, found in (("glibc-2.41-headers", part("nvcc-12.4-working"), True),
                                  ("glibc-2.41-headers", Path(toolkit("pypi-repaired-13.0.2")), False),
                                  ("glibc-newest-headers", Path(toolkit("pypi-repaired-13.0.2")), True)):
            with self.subTest(glibc=glibc, kit=kit.name):
                root = self.folder / "image"
                shutil.rmtree(root, ignore_errors=True)
                shutil.copytree(part(glibc) / "usr/include", root / "usr/include", symlinks=True)
                linked_tree(kit, root / "usr/local/cuda")
                (root / "usr/bin").mkdir(parents=True)
                shutil.copy(os.path.realpath("/bin/true"), root / "usr/bin/gcc-13")
                (root / "usr/bin/gcc").symlink_to("gcc-13")
                answer = self.check("--root", str(root), "--os", "linux", "--build", "--env", "PATH=/usr/bin")
                self.assertEqual([f["level"] for f in answer.of("CC116")], ["error"] if found else [], answer.text())


@unittest.skipUnless(shutil.which("aarch64-linux-gnu-g++"), "no aarch64-linux-gnu-g++ here")
class CrossBuilds(CheckCase):
    def test_headers_for_the_other_machine(self) -> None:
        """In NVIDIA's layout nvcc uses those in the folder of the host compiler's machine."""
        root = linked_tree(toolkit("pypi-repaired-13.0.2"), self.folder / "cuda")
        own, other = root / "targets/x86_64-linux", root / "targets/sbsa-linux"
        own.mkdir(parents=True)
        for name in ("include", "lib"):
            (own / name).symlink_to(root / name)
        env = {**self.env(), "NVCC_CCBIN": "aarch64-linux-gnu-g++"}
        found = self.assert_finding(self.check("--toolkit", str(root), env=env), "CC107", "error", "cuda_runtime.h", "cuda-cross-sbsa-13-0")
        self.assertIn("is for aarch64", found["because"])
        self.assert_pass(self.check("--toolkit", str(root)))
        own.rename(other)
        self.assert_pass(self.check("--toolkit", str(root), env=env))


class Selectors(CheckCase):
    """What selects a toolkit, and what only looks like it."""

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "opt"
        self.root.mkdir()
        (self.root / "cuda").symlink_to(toolkit("pypi-repaired-13.0.2"))

    def test_a_misspelt_cuda_home_that_decides(self) -> None:
        answer = self.check(env=self.env(CUDA_HOME=str(self.root / "cudda")))
        self.assert_finding(answer, "CC101", "error", "cudda", str(self.root / "cuda"))

    def test_a_misspelt_path_entry(self) -> None:
        path = f"{self.root}/cudda/bin:/usr/bin:/bin"
        answer = self.check("--toolkit", str(self.root / "cuda"), env=self.env(PATH=path))
        self.assert_finding(answer, "CC102", "warning", "cudda/bin", f"{self.root}/cuda/bin")
        self.assertEqual(answer.code, 0)

    def test_the_setting_is_tried(self) -> None:
        answer = self.check(env=self.env(CUDA_HOME=str(self.root / "cudda")))
        fix = next(f["text"] for f in answer.of("CC101")[0]["fix"] if f["kind"] == "setting")
        name, value = fix.replace("export ", "").split("=", 1)
        self.assertEqual(self.check(env=self.env(**{name: value.strip("'\"")})).of("CC101"), [])

    def test_two_toolkits_that_a_build_would_mix(self) -> None:
        other = toolkit("toolkit-13.3")
        env = self.env(CUDA_HOME=str(self.root / "cuda"), PATH=f"{other}/bin:/usr/bin:/bin")
        answer = self.check(env=env)
        finding = answer.of("CC103")
        self.assertTrue(finding, answer.text())
        for text in ("CUDA_HOME", "PATH", "13.0.88", "13.3"):
            self.assertIn(text, str(finding))

    def test_two_spellings_of_one_toolkit(self) -> None:
        env = self.env(CUDA_HOME=str(self.root / "cuda"), PATH=f"{toolkit('pypi-repaired-13.0.2')}/bin:/usr/bin:/bin")
        answer = self.check(env=env)
        self.assertEqual(answer.of("CC103"), [])
        self.assertEqual([t["root"] for t in answer.report["inventory"]["toolkits"] if "pypi-repaired" in t["real_root"]].__len__(), 1)

    def test_a_wrapper_in_front_of_nvcc(self) -> None:
        wrapper = self.folder / "wrapped"
        wrapper.mkdir()
        (wrapper / "nvcc").write_text(f'#!/bin/sh\nexec "{self.root}/cuda/bin/nvcc" "$@"\n')
        (wrapper / "nvcc").chmod(0o755)
        answer = self.check(env=self.env(PATH=f"{wrapper}:/usr/bin:/bin", CUDA_HOME=str(self.root / "cuda")))
        self.assertEqual(answer.of("CC103"), [], answer.text())
        self.assert_pass(answer)


class Architectures(CheckCase):
    def test_dropped_architectures(self) -> None:
        kit = toolkit("pypi-repaired-13.0.2")
        self.assert_finding(self.check("--toolkit", kit, "--arch", "60;75"), "CC203", "error", "60", "75")
        self.assert_finding(self.check("--toolkit", kit, "--arch", "50"), "CC203", "error", "50", "12.9")

    def test_too_new_for_a_ptxas(self) -> None:
        site = part("ptxas-12.8") / "nvidia/cuda_nvcc"
        answer = self.check("--toolkit", str(site), "--arch", "121")
        self.assert_finding(answer, "CC203", "error", "121", "12.9", "Value 'sm_121' is not defined")
        self.assertNotIn("sm_121", answer.of("CC105")[0]["because"], "what is missing is not to blame for a refused architecture")

    def test_a_known_architecture_is_silent(self) -> None:
        answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--arch", "75;80;90a;100f;121")
        self.assertEqual(answer.of("CC203"), [], answer.text())

    def test_words_are_resolved_by_the_tool(self) -> None:
        answer = self.check("--toolkit", toolkit("pypi-repaired-13.0.2"), "--arch", "all-major")
        targets = [t["arch"] for t in answer.report["inventory"]["project"]["archs"]["targets"]]
        self.assertEqual(targets, ["sm_75", "sm_80", "sm_90", "sm_100", "sm_110", "sm_120"])


if __name__ == "__main__":
    unittest.main()
