# cuDNN from NVIDIA's wheels: which one a framework gets, and what `check` reports about it. Also forward compatibility,
# with a real libcuda, and the project components cuDNN and cuBLAS.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PTXGUARD, Answer, CheckCase, linked_tree, part, validate


def lib_folder(name: str) -> str:
    return str(part(name) / "nvidia/cudnn/lib")


def copied(folder: Path, into: Path) -> None:
    """Sets have sparse files of gigabytes: their holes are kept."""
    subprocess.run(["cp", "-a", "--reflink=auto", "--sparse=always", f"{folder}/.", str(into)], check=True)


def copied_folder(folder: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", "--reflink=auto", "--sparse=always", str(folder), str(to)], check=True)


class CudnnCase(CheckCase):
    def check_site(self, site: Path, *arguments: str, **env: str) -> Answer:
        return self.check("--probe", "off", "--toolkit", str(part("pypi-repaired-13.0.2") / "nvidia/cu13"), "--python", str(site),
                          *arguments, env=self.env(**env))

    def cudnn_findings(self, answer: Answer) -> list:
        return [(f["code"], f["level"]) for f in answer.findings if f["code"].startswith("CC3")]

    def copies(self, answer: Answer) -> dict:
        return {copy["folder"]: copy for copy in answer.report["inventory"]["cudnn"]}


class CudnnCopies(CudnnCase):
    def test_a_wheel_tells_release_parts_and_cuda(self) -> None:
        site = part("torch-2.11.0-set")
        answer = self.check_site(site)
        copy = self.copies(answer)[str(site / "nvidia/cudnn/lib")]
        self.assertEqual((copy["source"], copy["major"], copy["loaded_by"]), ("wheel", 9, ["PyTorch"]))
        self.assertEqual(copy["package"]["value"], "9.19.0.56")
        self.assertEqual(copy["version"]["value"], "9.19.0")
        self.assertEqual(copy["header"]["value"], "9.19.0")
        self.assertEqual(copy["cuda"]["value"].split(".")[0], "13")
        self.assertEqual(len(copy["libraries"]), 8)
        self.assertNotIn("missing", copy)

    def test_both_majors_and_their_cuda_are_told_of_heads_alone(self) -> None:
        folders = [lib_folder("cudnn-8.9-set"), lib_folder("cudnn-9.1-set")]
        copies = self.copies(self.check("--probe", "off", env=self.env(LD_LIBRARY_PATH=":".join(folders))))
        old, new = copies[folders[0]], copies[folders[1]]
        self.assertEqual((old["major"], old["package"]["value"], old["cuda"]["value"]), (8, "8.9.7.29", "12"))
        self.assertEqual((new["major"], new["package"]["value"], new["cuda"]["value"]), (9, "9.1.0.70", "12"))
        self.assertNotIn("missing", {**old, **new})

    def test_the_file_itself_tells_the_cuda_that_it_was_made_for(self) -> None:
        folder = lib_folder("cudnn-9.19-cu12-graph")
        copy = self.copies(self.check("--probe", "off", env=self.env(LD_LIBRARY_PATH=folder)))[folder]
        self.assertEqual(copy["version"]["value"], "9.19.0")
        self.assertEqual(copy["cuda"]["value"].split(".")[0], "12")
        self.assertIn("cudnnGetCudartVersion", copy["cuda"]["origin"]["text"])
        self.assertEqual(len(copy["missing"]), 7)


class CudnnOfTorch(CudnnCase):
    def test_the_wheels_alone_are_silent_with_a_gpu_that_they_cover(self) -> None:
        answer = self.check_site(part("torch-2.11.0-set"), "--gpu", "RTX 3090")
        self.assertEqual(self.cudnn_findings(answer) + answer.of("CC607"), [], answer.text())

    def test_parts_of_the_same_release_for_another_cuda(self) -> None:
        """One number, one name: CC303 does not apply, and the file was built for CUDA 12."""
        answer = self.check_site(part("torch-2.11.0-set"), LD_LIBRARY_PATH=lib_folder("cudnn-9.19-cu12-graph"))
        finding = self.assert_finding(answer, "CC304", "error", "PyTorch 2.11.0+cu130 is built for CUDA 13.0 but loads a cuDNN for CUDA 12")
        self.assertIn("LD_LIBRARY_PATH", json.dumps(finding["fix"]))
        self.assertEqual(answer.of("CC303"), [], answer.text())

    def site_with(self, cudnn: str) -> Path:
        """torch with that cuDNN instead of its own."""
        site = self.folder / "site"
        linked_tree(part("torch-2.11.0-set"), site)
        shutil.rmtree(site / "nvidia/cudnn")
        shutil.rmtree(next(site.glob("nvidia_cudnn_cu13-*.dist-info")))
        linked_tree(part(cudnn), site)
        return site

    def test_a_part_that_the_wheel_lacks_comes_from_the_system(self) -> None:
        """pytorch issue 188892: libcudnn_graph 9.20 opens libcudnn_engines_tensor_ir, which the wheel lacks."""
        site = self.site_with("cudnn-9.20-cu13-set")
        answer = self.check_site(site, LD_LIBRARY_PATH=lib_folder("cudnn-9.23-cu12-tensor-ir"))
        self.assert_finding(answer, "CC303", "error", "libcudnn_engines_tensor_ir.so.9 9.23.2")
        self.assertEqual(self.cudnn_findings(self.check_site(site)), [])
        older = self.check_site(part("torch-2.11.0-set"), LD_LIBRARY_PATH=lib_folder("cudnn-9.23-cu12-tensor-ir"))
        self.assertEqual(older.of("CC303"), [], older.text())  # 9.19 opens no such part

    def test_a_cudnn_8_in_the_search_path_is_harmless(self) -> None:
        answer = self.check_site(part("torch-2.11.0-set"), LD_LIBRARY_PATH=lib_folder("cudnn-8.9-set"))
        self.assertEqual(self.cudnn_findings(answer), [], answer.text())

    def test_a_gpu_that_the_wheels_no_longer_hold_code_for(self) -> None:
        answer = self.check_site(part("torch-2.11.0-set"), "--gpu", "Tesla V100")
        self.assert_finding(answer, "CC607", "error", "has no code that runs on Tesla V100")
        self.assertEqual(answer.of("CC306"), [], answer.text())  # another cuDNN would not help


class CudnnOfTensorFlow(CudnnCase):
    """Opens libcudnn.so.9 by name: LD_LIBRARY_PATH comes first."""

    def site(self) -> Path:
        return part("tensorflow-2.18-set")

    def tree(self, *, cudnn: bool = True, other: str = "") -> Path:
        """An image without a CUDA of its own: what TensorFlow finds is next to it, or in /opt/cudnn."""
        root = self.folder / "image"
        site = root / "usr/lib/python3/dist-packages"
        site.mkdir(parents=True)
        (root / "usr/lib/x86_64-linux-gnu").mkdir()
        copied(self.site(), site)
        if not cudnn:
            shutil.rmtree(site / "nvidia/cudnn")
            for info in site.glob("nvidia_cudnn*"):
                shutil.rmtree(info)
        if other:
            (root / "opt/cudnn").mkdir(parents=True)
            copied(part(other), root / "opt/cudnn")
        return root

    def check_tree(self, root: Path, *arguments: str) -> Answer:
        return self.check("--probe", "off", "--root", str(root), "--os", "linux", "--python", "/usr/lib/python3/dist-packages",
                          "--env", "LD_LIBRARY_PATH=/opt/cudnn/nvidia/cudnn/lib", *arguments)

    def test_its_own_wheels_are_silent(self) -> None:
        answer = self.check_tree(self.tree(), "--gpu", "A100")
        self.assertEqual(self.cudnn_findings(answer), [], answer.text())

    def test_an_older_minor_in_the_search_path(self) -> None:
        answer = self.check_tree(self.tree(other="cudnn-9.1-set"))
        self.assert_finding(answer, "CC302", "error", "built with cuDNN 9.3", "loads the older 9.1.0")

    def test_a_newer_minor_in_the_search_path_is_silent(self) -> None:
        answer = self.check_tree(self.tree(other="cudnn-9.11-set"), "--gpu", "A100")
        self.assertEqual(self.cudnn_findings(answer), [], answer.text())

    def test_a_newer_minor_that_dropped_the_gpu(self) -> None:
        answer = self.check_tree(self.tree(other="cudnn-9.11-set"), "--gpu", "Tesla V100")
        self.assert_finding(answer, "CC306", "error", "cuDNN 9.11.0", "has no code for Tesla V100 (sm_70)", "9.10.2")

    def test_without_a_cudnn_it_leaves_the_gpu_unused(self) -> None:
        root = self.tree(cudnn=False)
        answer = self.check_tree(root, "--gpu", "A100")
        self.assert_finding(answer, "CC305", "error", "finds no cuDNN: libcudnn.so.9 is not found", "nvidia-cudnn-cu12")
        quiet = self.check_tree(root)
        self.assertEqual({f["level"] for f in quiet.of("CC305")}, {"note"}, quiet.text())

    def test_a_cudnn_8_where_9_is_wanted(self) -> None:
        root = self.tree(cudnn=False)
        copied(part("cudnn-8.9-set") / "nvidia/cudnn/lib", root / "usr/lib/x86_64-linux-gnu")
        answer = self.check_tree(root, "--gpu", "A100")
        self.assert_finding(answer, "CC301", "error", "needs cuDNN 9 (libcudnn.so.9), but only cuDNN 8 is installed")
        self.assertEqual(answer.of("CC305") + answer.of("CC401"), [], answer.text())

    def test_a_part_that_was_taken_away(self) -> None:
        root = self.tree()
        next(root.rglob("libcudnn_ops.so.9")).unlink()
        answer = self.check_tree(root, "--gpu", "A100")
        self.assert_finding(answer, "CC305", "error", "is incomplete: libcudnn_ops.so.9 is not found")

    def test_a_link_that_gives_8_the_name_of_9(self) -> None:
        root = self.tree(cudnn=False)
        system = root / "usr/lib/x86_64-linux-gnu"
        copied(part("cudnn-8.9-set") / "nvidia/cudnn/lib", system)
        (system / "libcudnn.so.9").symlink_to("libcudnn.so.8")
        self.assert_finding(self.check_tree(root), "CC301", "error", "libcudnn.so.9", "is really cuDNN 8")


class CudnnDeclared(CudnnCase):
    def test_a_gpu_that_is_newer_than_the_build(self) -> None:
        answer = self.check("--probe", "off", "--framework", "torch==2.5.1+cu124", "--gpu", "RTX 5090")
        self.assert_finding(answer, "CC607", "error", "has no code that runs on RTX 5090 (sm_120)", "whl/cu128")

    def test_a_gpu_that_it_covers(self) -> None:
        answer = self.check("--probe", "off", "--framework", "torch==2.5.1+cu124", "--gpu", "RTX 4090,H100")
        self.assertEqual(answer.of("CC607"), [], answer.text())


class KernelModules(CudnnCase):
    """A real libcuda beside the kernel module that /proc names."""

    def check_with(self, module: str, *arguments: str) -> Answer:
        root = self.folder / "machine"
        shutil.rmtree(root, ignore_errors=True)
        system, proc = root / "usr/lib/x86_64-linux-gnu", root / "proc/driver/nvidia"
        system.mkdir(parents=True)
        proc.mkdir(parents=True)
        real = next(file for file in sorted(part("driver-550").rglob("libcuda.so.5*")) if not file.is_symlink())
        shutil.copy(real, system / real.name)
        (system / "libcuda.so.1").symlink_to(real.name)
        version = real.name.split(".so.")[1]
        (proc / "version").write_text(f"NVRM version: NVIDIA UNIX {module.replace('VERSION', version)}  Release Build\n")
        return self.check("--probe", "off", "--root", str(root), "--os", "linux", *arguments)

    def test_the_open_and_the_proprietary_ones(self) -> None:
        for module, works, fails in (("Open Kernel Module for x86_64  VERSION", "T4", "Tesla P4"), ("x86_64 Kernel Module  VERSION", "H100", "B200")):
            with self.subTest(module=module):
                self.assertEqual(self.check_with(module, "--gpu", works).errors(), set())
                self.assert_finding(self.check_with(module, "--gpu", fails), "CC204", "error", fails, "kernel modules")

    def test_an_update_without_a_restart(self) -> None:
        for module, level in (("550.54.14", "error"), ("535.161.08", "error"), ("VERSION", None)):
            with self.subTest(module=module):
                answer = self.check_with(f"x86_64 Kernel Module  {module}", "--gpu", "RTX 4090")
                self.assertEqual([f["level"] for f in answer.of("CC209")], [level] if level else [], answer.text())


class ForwardCompatibility(CudnnCase):
    def tree(self, module: str) -> Path:
        root = self.folder / "image"
        compat = root / "usr/local/cuda-12.4/compat"
        compat.mkdir(parents=True)
        driver = part("driver-550")
        real = next(file for file in sorted(driver.rglob("libcuda.so.5*")) if not file.is_symlink())
        shutil.copy(real, compat / real.name)
        (compat / "libcuda.so.1").symlink_to(real.name)
        proc = root / "proc/driver/nvidia"
        proc.mkdir(parents=True)
        (proc / "version").write_text(f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {module}  Sat Feb 24 02:45:54 UTC 2024\n")
        return root

    def check_tree(self, root: Path, *arguments: str, path: str = "/usr/local/cuda-12.4/compat") -> Answer:
        return self.check("--probe", "off", "--root", str(root), "--os", "linux", "--env", f"LD_LIBRARY_PATH={path}", *arguments)

    def test_not_on_a_geforce(self) -> None:
        answer = self.check_tree(self.tree("535.161.08"), "--gpu", "RTX 3090")
        self.assert_finding(answer, "CC209", "error", "does not allow libcuda 550.", "804", "/usr/local/cuda-12.4/compat")

    def test_by_the_configuration_of_ldconfig_alone(self) -> None:
        root = self.tree("535.161.08")
        answer = self.check_tree(root, "--gpu", "RTX 3090", path="/nowhere")
        self.assertEqual(answer.of("CC209"), [], answer.text())
        (root / "etc/ld.so.conf.d").mkdir(parents=True)
        (root / "etc/ld.so.conf").write_text("include /etc/ld.so.conf.d/*.conf\n")
        (root / "etc/ld.so.conf.d/000_compat.conf").write_text("/usr/local/cuda/compat\n")
        (root / "usr/local/cuda").symlink_to("cuda-12.4")
        answer = self.check_tree(root, "--gpu", "RTX 3090", path="/nowhere")
        self.assert_finding(answer, "CC209", "error", "does not allow libcuda 550.", "804")

    def test_by_the_cache_that_ldconfig_wrote_and_for_the_framework_that_asks(self) -> None:
        root = self.tree("535.261.03")
        own = next(file for file in sorted(part("driver-535").rglob("libcuda.so.5*")) if not file.is_symlink())
        system = root / "usr/lib/x86_64-linux-gnu"
        system.mkdir(parents=True)
        shutil.copy(own, system / own.name)
        (system / "libcuda.so.1").symlink_to(own.name)
        site = root / "usr/lib/python3/dist-packages"
        site.mkdir(parents=True)
        copied(part("tensorflow-2.18-set"), site)
        (root / "etc").mkdir()
        arguments = ("--gpu", "RTX 3090", "--python", "/usr/lib/python3/dist-packages")
        for conf, taken in (("/usr/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"), ("/usr/local/cuda-12.4/compat", "/usr/local/cuda-12.4/compat")):
            (root / "etc/ld.so.conf").write_text(conf + "\n")
            if subprocess.run(["/sbin/ldconfig", "-r", str(root)], capture_output=True).returncode != 0:
                self.skipTest("ldconfig -r does not work here")
            (root / "etc/ld.so.conf").unlink()
            answer = self.check_tree(root, *arguments, path="/nowhere")
            self.assertEqual(answer.report["inventory"]["drivers"][0]["libcuda"], f"{taken}/libcuda.so.1", answer.text())
            done = subprocess.run([PTXGUARD, "deps", "--format", "json", "--root", str(root), "/usr/lib/python3/dist-packages/tensorflow/libtensorflow_framework.so.2"],
                                  env=self.env(), capture_output=True, text=True, timeout=60)
            libcuda = [library for library in json.loads(done.stdout)["files"][0]["libraries"] if library["name"] == "libcuda.so.1"]
            self.assertEqual([library["taken"] for library in libcuda], [f"{taken}/libcuda.so.1"], done.stdout)
            self.assertIn(libcuda[0]["version"].split(".")[0], ("535", "550"))
            self.assertEqual([f["level"] for f in answer.of("CC209")], ["error"] * ("compat" in taken), answer.text())

    def test_on_a_data_centre_gpu_it_is_what_the_package_is_for(self) -> None:
        answer = self.check_tree(self.tree("535.161.08"), "--gpu", "NVIDIA A100")
        self.assertEqual(answer.of("CC209"), [], answer.text())

    def test_not_below_a_newer_kernel_driver(self) -> None:
        answer = self.check_tree(self.tree("580.65.06"), "--gpu", "NVIDIA A100")
        self.assert_finding(answer, "CC209", "error", "is older than the kernel driver 580.65.06", "803")

    def test_a_package_that_nobody_takes_is_silent(self) -> None:
        answer = self.check_tree(self.tree("535.161.08"), "--gpu", "RTX 3090", path="/nowhere")
        self.assertEqual(answer.of("CC209"), [], answer.text())


class LinkedLibraries(CudnnCase):
    """The components cuDNN and cuBLAS of the CMake module."""

    def toolkit_tree(self) -> Path:
        root = self.folder / "image"
        for file in ("bin/nvcc", "bin/ptxas"):
            (root / "usr/local/cuda" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(part("pypi-repaired-13.0.2") / "nvidia/cu13" / file, root / "usr/local/cuda" / file)
        (root / "usr/lib/x86_64-linux-gnu").mkdir(parents=True)
        return root

    def check_tree(self, root: Path) -> Answer:
        return self.check("--probe", "off", "--root", str(root), "--os", "linux", "--toolkit", "/usr/local/cuda", "--require", "cudnn,cublas")

    def test_neither_is_here(self) -> None:
        answer = self.check_tree(self.toolkit_tree())
        self.assert_finding(answer, "CC305", "error", "this project links cuDNN, but none is installed")
        self.assert_finding(answer, "CC401", "error", "this project links cuBLAS")

    def test_a_cudnn_for_another_cuda(self) -> None:
        root = self.toolkit_tree()
        site = root / "usr/local/lib/python3.11/site-packages"
        site.mkdir(parents=True)
        copied(part("cudnn-9.19-cu12-graph") / "nvidia/cudnn/lib", root / "usr/lib/x86_64-linux-gnu")
        answer = self.check_tree(root)
        self.assert_finding(answer, "CC304", "error", "this project links cuDNN with CUDA 13.0")
        self.assertIn("cuDNN", answer.report["build"]["frameworks"])


class CudnnOfBinaries(CheckCase):
    def test_a_program_of_cuda_13_with_a_cudnn_for_12(self) -> None:
        compiler = shutil.which("gcc")
        if not compiler:
            self.skipTest("no gcc")
        libraries = self.folder / "libs"
        libraries.mkdir()
        (libraries / "libcudnn_graph.so.9").symlink_to(part("cudnn-9.19-cu12-graph") / "nvidia/cudnn/lib/libcudnn_graph.so.9")
        runtime = next((part("torch-2.11.0-set") / "nvidia").rglob("libcudart.so.13"))
        (libraries / "libcudart.so.13").symlink_to(runtime)
        source = self.folder / "x.c"
        source.write_text("int main(void) { return 0; }\n")
        subprocess.run([compiler, str(source), "-o", str(self.folder / "x"), "-Wl,--no-as-needed", f"-Wl,--disable-new-dtags,-rpath,{libraries}",
                        str(libraries / "libcudart.so.13"), str(libraries / "libcudnn_graph.so.9"), "-Wl,--allow-shlib-undefined"], check=True)
        done = subprocess.run([PTXGUARD, "deps", "--format", "json", str(self.folder / "x")], env=self.env(), capture_output=True, text=True, timeout=120)
        report = json.loads(done.stdout)
        validate(report)
        answer = Answer(done.returncode, report, done.stderr, report["findings"])
        self.assert_finding(answer, "CC304", "error", "is built for CUDA 13 but loads a cuDNN for CUDA 12")


class KnownBadOfJax(CudnnCase):
    """JAX's own list of versions that it refuses or that compute wrong results, with the libraries it would load."""

    def tree(self, *nvidia: str) -> Path:
        """The wheels of the sets named first take precedence."""
        root = self.folder / "image"
        site = root / "usr/lib/python3/dist-packages"
        site.mkdir(parents=True)
        (root / "usr/lib/x86_64-linux-gnu").mkdir()
        copied(part("jax-cuda12-set"), site)
        for name in nvidia:
            for entry in sorted(part(name).iterdir()):
                package = entry.name.split("-")[0]
                folder = package.removeprefix("nvidia_").removesuffix("_cu12").removesuffix("_cu11")
                if package.startswith("nvidia_") and not list(site.glob(package + "-*")):
                    copied_folder(entry, site / entry.name)
                    if (part(name) / "nvidia" / folder).is_dir():
                        copied_folder(part(name) / "nvidia" / folder, site / "nvidia" / folder)
        return root

    def known_bad(self, root: Path, *arguments: str) -> list:
        answer = self.check("--probe", "off", "--root", str(root), "--os", "linux", "--python", "/usr/lib/python3/dist-packages", *arguments)
        return sorted((f["subject"].split(" at ")[0], f["level"]) for f in answer.of("CC110"))

    def test_the_cublas_of_12_8_on_blackwell(self) -> None:
        root = self.tree("torch-cu128-set")
        self.assertEqual(self.known_bad(root, "--gpu", "B200"), [("jax-cublas-frees-tensor-memory-twice", "warning")])
        for other in ("H100", "RTX 5090"):
            self.assertEqual(self.known_bad(root, "--gpu", other), [], other)

    def test_cudnn_9_10_0(self) -> None:
        self.assertEqual(self.known_bad(self.tree("cudnn-9.10.0-set", "torch-cu128-set"), "--gpu", "H100"), [("jax-cudnn-9.10.0", "warning")])

    def test_an_older_cudnn_beside_cublas_12_9(self) -> None:
        self.assertEqual(self.known_bad(self.tree("cudnn-9.9-set", "cublas-12.9-set", "torch-cu128-set"), "--gpu", "H100"),
                         [("jax-cudnn-multi-gpu-matmul", "unknown")])

    def test_an_older_cudnn_beside_cublas_12_8(self) -> None:
        self.assertEqual(self.known_bad(self.tree("cudnn-9.9-set", "torch-cu128-set"), "--gpu", "H100"), [])

    def test_another_framework_that_nobody_asked_for(self) -> None:
        """JAX with torch's older cuDNN is broken; with --framework torch JAX is not checked."""
        root = self.tree("torch-cu124-set")
        copied(part("torch-cu124-set"), root / "usr/lib/python3/dist-packages")
        arguments = ("--probe", "off", "--root", str(root), "--os", "linux", "--python", "/usr/lib/python3/dist-packages", "--gpu", "H100",
                     "--driver", "550.54.15")
        answer = self.check(*arguments)
        self.assertEqual(sorted(e["framework"] for e in answer.report["expectations"] if e["package"] in ("torch", "jax")), ["JAX", "PyTorch"])
        bad = [f for f in answer.findings if f["level"] in ("error", "warning")]
        self.assertEqual([(f["code"], f["level"]) for f in bad], [("CC111", "error"), ("CC302", "warning")], answer.text())
        self.assertTrue(all("JAX" in f["message"] for f in bad), answer.text())
        answer = self.check(*arguments, "--framework", "torch")
        self.assertEqual([e["framework"] for e in answer.report["expectations"]], ["PyTorch"])
        self.assertEqual([f["code"] for f in answer.findings if f["level"] in ("error", "warning")], [], answer.text())
        for entry in (root / "usr/lib/python3/dist-packages/jax_plugins/xla_cuda12").iterdir():
            entry.unlink()
        answer = self.check(*arguments, "--framework", "torch")
        self.assertEqual([f["code"] for f in answer.findings if f["level"] in ("error", "warning")], [], answer.text())

    def test_a_half_removed_package_is_installed_for_pip(self) -> None:
        root = self.folder / "image"
        site = root / "usr/lib/python3/dist-packages"
        site.mkdir(parents=True)
        (root / "usr/lib/x86_64-linux-gnu").mkdir()
        copied(part("tensorflow-2.18-set"), site)
        shutil.rmtree(site / "nvidia/cudnn")
        arguments = ("--probe", "off", "--root", str(root), "--os", "linux", "--python", "/usr/lib/python3/dist-packages", "--gpu", "A100")
        bad = self.assert_finding(self.check(*arguments), "CC305", "error", "finds no cuDNN", "its files are missing")
        self.assertEqual([fix["text"] for fix in bad["fix"]], ["python3 -m pip install --force-reinstall --no-deps 'nvidia-cudnn-cu12==9.3.0.75'"])
        shutil.rmtree(next(site.glob("nvidia_cudnn_cu12-*")))
        bad = self.assert_finding(self.check(*arguments), "CC305", "error", "finds no cuDNN")
        self.assertEqual([fix["text"] for fix in bad["fix"]], ["python3 -m pip install 'nvidia-cudnn-cu12==9.3.0.75'"])

    def test_pytorch_with_the_same_libraries_is_silent(self) -> None:
        answer = self.check("--probe", "off", "--python", str(part("torch-cu128-set")), "--gpu", "B200")
        self.assertEqual(answer.of("CC110"), [], answer.text())


if __name__ == "__main__":
    unittest.main()


class CudnnOfABuild(CudnnCase):
    """Headers and library as a compiler and a linker find them, and as they report themselves."""

    def setUp(self) -> None:
        super().setUp()
        self.headers = part("cudnn-9.20-cu13-set") / "nvidia/cudnn/include"
        self.libraries = self.folder / "lib"
        self.libraries.mkdir()

    def lay(self, name: str, release: str) -> None:
        real = self.libraries / f"libcudnn.so.{release}"
        shutil.copy(Path(lib_folder(name)) / "libcudnn.so.9", real)
        (self.libraries / "libcudnn.so").symlink_to(real.name)

    def check_build(self) -> Answer:
        return self.check("--build", "--probe", "off", "--toolkit", str(part("pypi-repaired-13.0.2") / "nvidia/cu13"),
                          env=self.env(CPATH=str(self.headers), LIBRARY_PATH=str(self.libraries)))

    def by_the_compiler(self) -> tuple[str, str]:
        """What g++ includes and links with these variables."""
        source = self.folder / "cudnn.cpp"
        source.write_text("#include <cudnn_version.h>\nint main() {}\n")
        env = self.env(CPATH=str(self.headers), LIBRARY_PATH=str(self.libraries))
        macros = subprocess.run(["g++", "-E", "-dM", str(source)], env=env, capture_output=True, text=True, check=True).stdout
        number = {line.split()[1]: line.split()[2] for line in macros.splitlines() if line.startswith("#define CUDNN_") and len(line.split()) > 2}
        traced = subprocess.run(["g++", str(source), "-o", str(self.folder / "a.out"), "-Wl,-t", "-Wl,--no-as-needed", "-Wl,--unresolved-symbols=ignore-all", "-lcudnn"],
                                env=env, capture_output=True, text=True)
        linked = [line for line in traced.stdout.splitlines() if "libcudnn" in line]
        self.assertTrue(linked, traced.stdout + traced.stderr)
        return ".".join(number[f"CUDNN_{one}"] for one in ("MAJOR", "MINOR", "PATCHLEVEL")), str(Path(linked[0]).resolve())

    def test_headers_that_are_newer_than_the_library(self) -> None:
        self.lay("cudnn-9.11-set", "9.11.0")
        finding = self.assert_finding(self.check_build(), "CC307", "warning")
        header, library = self.by_the_compiler()
        self.assertEqual([found["value"] for found in finding["found"]], [header, "9.11.0"])
        self.assertEqual(library, str(self.libraries / "libcudnn.so.9.11.0"))

    def test_a_library_of_the_same_minor_is_silent(self) -> None:
        self.lay("cudnn-9.20-cu13-set", "9.20.0")
        self.assertEqual(self.check_build().of("CC307"), [])
        self.assertEqual(self.by_the_compiler()[1], str(self.libraries / "libcudnn.so.9.20.0"))
