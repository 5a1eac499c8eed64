# Sets of libraries that do not match, from NVIDIA's wheels, as `ptxguard deps` finds them; and sets that do.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PTXGUARD, Answer, CheckCase, part, validate


def lib(name: str, file: str) -> Path:
    """A library of a set."""
    found = sorted(part(name).rglob(file))
    if not found:
        raise unittest.SkipTest(f"{name} holds no {file}")
    return found[0]


class DepsCase(CheckCase):
    def deps(self, file: Path, *arguments: str, **env: str) -> Answer:
        command = [PTXGUARD, "deps", "--format", "json", *arguments, str(file)]
        done = subprocess.run(command, env=self.env(**env), capture_output=True, text=True, timeout=120)
        self.assertIn(done.returncode, (0, 1), f"{command}\n{done.stdout}\n{done.stderr}")
        report = json.loads(done.stdout)
        validate(report)
        return Answer(done.returncode, report, done.stderr, report["findings"])

    def laid(self, *files: Path) -> Path:
        """Links to the files in one folder."""
        folder = self.folder / f"libs{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        for file in files:
            (folder / file.name).symlink_to(file)
        return folder

    def level_of(self, answer: Answer, code: str) -> list:
        return [f["level"] for f in answer.of(code)]

    def undefined(self, file: Path, **env: str) -> int:
        """What `ldd -r` reports for the file itself."""
        done = subprocess.run(["ldd", "-r", str(file)], env=self.env(**env), capture_output=True, text=True)
        lines = (done.stdout + done.stderr).splitlines()
        return sum("undefined symbol" in line and str(file) in line for line in lines)


class CublasSets(DepsCase):
    def test_cublaslt_of_an_older_release_is_an_error_though_no_name_is_missing(self) -> None:
        cublas, old = lib("cublas-12.8", "libcublas.so.12"), lib("cublas-12.4", "libcublasLt.so.12")
        answer = self.deps(cublas, "--undefined", LD_LIBRARY_PATH=str(old.parent))
        # The given file is not a library of its own trace: the set shows with something that needs both.
        both = lib("cublas-12.8", "libcublas.so.12")
        self.assertEqual(self.undefined(both, LD_LIBRARY_PATH=str(old.parent)), 0)
        self.assertEqual(self.level_of(answer, "CC402"), ["error"], answer.text())
        self.assertIn("12.4", answer.of("CC402")[0]["message"])
        self.assertIn(str(old.parent), answer.of("CC402")[0]["fix"][0]["text"])

    def test_its_own_cublaslt_is_silent(self) -> None:
        answer = self.deps(lib("cublas-12.8", "libcublas.so.12"), "--undefined")
        self.assert_pass(answer)


class SparseSets(DepsCase):
    def test_an_older_nvjitlink_lacks_what_cusparse_asks_for(self) -> None:
        sparse, old = lib("cusparse-12.8", "libcusparse.so.12"), lib("nvjitlink-12.4", "libnvJitLink.so.12")
        env = {"LD_LIBRARY_PATH": str(old.parent)}
        answer = self.deps(sparse, "--undefined", **env)
        self.assertEqual(answer.report["files"][0]["undefined"], self.undefined(sparse, **env))
        self.assertEqual(answer.report["files"][0]["undefined"], 8)
        self.assertEqual(self.level_of(answer, "CC402"), ["error"], answer.text())
        self.assertIn("__nvJitLink", answer.of("CC402")[0]["because"])
        self.assertEqual(answer.of("CC406"), [], answer.text())

    def test_the_one_of_its_release_is_silent(self) -> None:
        sparse = lib("cusparse-12.8", "libcusparse.so.12")
        env = {"LD_LIBRARY_PATH": str(lib("cusparse-12.8", "libnvJitLink.so.12").parent)}
        answer = self.deps(sparse, "--undefined", **env)
        self.assertEqual(answer.report["files"][0]["undefined"], 0)
        self.assert_pass(answer)


class TorchSets(DepsCase):
    """torch 2.11 with its wheels: DT_RPATH fixes libcudnn.so.9, its parts are found through the variable."""

    def torch(self) -> Path:
        return lib("torch-2.11.0-set", "libtorch_cuda.so")

    def test_the_wheels_alone_are_silent(self) -> None:
        answer = self.deps(self.torch(), "--undefined")
        self.assertEqual(answer.report["files"][0]["undefined"], 0)
        self.assert_pass(answer)
        self.assertEqual(answer.of("CC406") + answer.of("CC401"), [], answer.text())

    def test_a_part_of_cudnn_of_another_release_is_found(self) -> None:
        other = lib("cudnn-9.12-graph", "libcudnn_graph.so.9")
        answer = self.deps(self.torch(), LD_LIBRARY_PATH=str(other.parent))
        mixed = answer.of("CC303")
        self.assertTrue(mixed, answer.text())
        self.assertIn("libcudnn_graph.so.9 9.12.0", mixed[0]["message"])
        self.assertEqual({f["level"] for f in mixed}, {"error"})


class Extension(DepsCase):
    """An extension of torch, linked like its wheels: with torch's names and no path to them."""

    def extension(self) -> Path:
        compiler = shutil.which("gcc")
        if not compiler:
            self.skipTest("no gcc")
        source = self.folder / "empty.c"
        source.write_text("")
        stubs = []
        for name in ("libc10.so", "libtorch_cpu.so", "libcudart.so.13"):
            stubs.append(str(self.folder / name))
            subprocess.run([compiler, "-shared", str(source), "-o", stubs[-1], f"-Wl,-soname,{name}"], check=True)
        extension = self.folder / "package" / "_C.so"
        extension.parent.mkdir()
        subprocess.run([compiler, "-shared", str(source), "-o", str(extension), "-Wl,--no-as-needed", *stubs], check=True)
        return extension

    def test_it_gets_what_the_import_of_torch_has_loaded(self) -> None:
        torch = lib("torch-2.11.0-set", "libtorch_cuda.so")
        site = torch.parents[2]
        answer = self.deps(self.extension(), "--python", str(site))
        self.assertEqual(answer.of("CC401"), [], answer.text())
        runtime = [one for one in answer.report["files"][0]["libraries"] if one["name"] == "libcudart.so.13"]
        self.assertEqual([os.path.realpath(one["taken"]) for one in runtime],
                         [os.path.realpath(next(site.rglob("libcudart.so.13")))])

    def test_without_torch_nobody_knows(self) -> None:
        packages = self.folder / "packages"
        packages.mkdir()
        answer = self.deps(self.extension(), "--python", str(packages))
        self.assertEqual(self.level_of(answer, "CC401"), ["unknown"], answer.text())
        self.assertEqual(answer.report["verdict"], "unknown")


class CheckedTorch(DepsCase):
    """What `check` reports for the torch that it finds: its libraries are traced with the environment as it is."""

    def torch(self) -> Path:
        return part("torch-2.11.0-set")

    def check_torch(self, site: Path, **env: str) -> Answer:
        return self.check("--probe", "off", "--toolkit", str(part("pypi-repaired-13.0.2") / "nvidia/cu13"), "--python", str(site),
                          env=self.env(**env))

    def test_the_wheels_alone_are_silent(self) -> None:
        answer = self.check_torch(self.torch())
        self.assert_pass(answer)
        self.assertEqual([f for f in answer.findings if f["code"][:3] in ("CC3", "CC4")], [], answer.text())
        torch = answer.report["traces"][0]
        self.assertEqual(torch["framework"], "PyTorch")
        versions = {library.get("library"): library["version"] for library in torch["libraries"]}
        self.assertEqual((versions["cublas"], versions["cudnn"]), ("13.1.0.3", "9.19.0.56"))

    def test_a_part_of_another_cudnn_in_the_search_path_is_found(self) -> None:
        other = lib("cudnn-9.12-graph", "libcudnn_graph.so.9")
        variable = f"/srv/a:{other.parent}:{other.parent}:/srv/a/b"
        answer = self.check_torch(self.torch(), LD_LIBRARY_PATH=variable)
        finding = self.assert_finding(answer, "CC303", "error", "libcudnn_graph.so.9 9.12.0")
        step = f"""export LD_LIBRARY_PATH="$(printf %s "$LD_LIBRARY_PATH" | tr : '\\n' | grep -vxF {other.parent} | paste -sd: -)\""""
        self.assertIn(step, [fix["text"] for fix in finding["fix"]])
        self.assertEqual([[one["text"] for one in plan["steps"]] for plan in answer.report["plan"]], [[step]], answer.text())
        done = subprocess.run(["sh", "-c", step + '; printf %s "$LD_LIBRARY_PATH"'], env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": variable},
                              capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stdout, "/srv/a:/srv/a/b")
        self.assert_pass(self.check_torch(self.torch(), LD_LIBRARY_PATH=done.stdout))

    def test_another_cublas_in_the_search_path_changes_nothing_for_torch(self) -> None:
        """DT_RPATH comes before LD_LIBRARY_PATH."""
        answer = self.check_torch(self.torch(), LD_LIBRARY_PATH=str(lib("cublas-12.8", "libcublas.so.12").parent))
        self.assert_pass(answer)

    def test_a_library_that_was_taken_away_is_an_error_and_none_at_all_a_note(self) -> None:
        site = self.folder / "site"
        site.mkdir()
        for entry in self.torch().iterdir():
            if entry.name != "nvidia" and not entry.name.startswith("nvidia_cufile"):
                (site / entry.name).symlink_to(entry)
        # The folder torch/ is a copy: libraries search next to the path by which they are opened.
        nvidia = site / "nvidia"
        shutil.copytree(self.torch() / "nvidia", nvidia, copy_function=os.symlink, symlinks=True)
        (site / "torch").unlink()
        shutil.copytree(self.torch() / "torch/lib", site / "torch/lib", copy_function=os.symlink, symlinks=True)
        shutil.copy(self.torch() / "torch/version.py", site / "torch/version.py")
        for file in nvidia.rglob("libcufile.so*"):
            file.unlink()
        answer = self.check_torch(site)
        finding = self.assert_finding(answer, "CC401", "error", "libcufile.so.0")
        self.assertIn("nvidia-cufile", json.dumps(finding["fix"]) + finding["because"] + answer.text())
        shutil.rmtree(nvidia)
        for entry in site.iterdir():
            if entry.name.startswith(("nvidia", "cuda_toolkit")):
                entry.unlink()
        alone = self.check_torch(site)
        self.assertNotIn("error", {f["level"] for f in alone.of("CC401")}, alone.text())


class NvrtcSets(DepsCase):
    def setUp(self) -> None:
        super().setUp()
        self.compiler = shutil.which("gcc")
        if not self.compiler:
            self.skipTest("no gcc")

    def program(self, libraries: Path) -> Path:
        """A program that is linked with the NVRTC of a folder."""
        source = self.folder / "x.c"
        source.write_text("int nvrtcVersion(int *, int *); int main(void) { int a, b; return nvrtcVersion(&a, &b); }\n")
        program = self.folder / "x"
        subprocess.run([self.compiler, str(source), "-o", str(program), str(libraries / "libnvrtc.so.13"),
                        f"-Wl,--disable-new-dtags,-rpath,{libraries}", "-Wl,--allow-shlib-undefined"], check=True)
        return program

    def test_nvrtc_without_its_builtins_is_an_error(self) -> None:
        if any(Path(folder).glob("libnvrtc-builtins.so.13.0") for folder in ("/usr/lib", "/usr/local/cuda/lib64")) or \
                "libnvrtc-builtins.so.13.0" in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout:
            root = self.folder / "root"  # this machine has its own: checked as a tree
            place = root / "opt"
            place.mkdir(parents=True)
            (root / "usr" / "lib").mkdir(parents=True)  # a system whose libraries are installed
            folder = self.laid(lib("nvrtc-13.0", "libnvrtc.so.13"))
            program = self.program(folder)
            for file in (program, folder / "libnvrtc.so.13"):
                shutil.copy(os.path.realpath(file), place / file.name)
            answer = self.deps(Path("/opt/x"), "--root", str(root), "--env", "LD_LIBRARY_PATH=/opt")
        else:
            answer = self.deps(self.program(self.laid(lib("nvrtc-13.0", "libnvrtc.so.13"))))
        self.assertEqual(self.level_of(answer, "CC405"), ["error"], answer.text())

    def test_nvrtc_with_its_builtins_is_silent(self) -> None:
        folder = self.laid(lib("nvrtc-13.0", "libnvrtc.so.13"), lib("nvrtc-13.0", "libnvrtc-builtins.so.13.0"))
        answer = self.deps(self.program(folder))
        self.assert_pass(answer)


if __name__ == "__main__":
    unittest.main()
