# Every fix that can be tried is tried: on real parts in a broken arrangement the line of the report is applied as it
# is, only by its kind, and then the finding must be gone and nothing worse may appear.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from dataclasses import dataclass, replace
from pathlib import Path

from support import PTXGUARD, Answer, CheckCase, linked_tree, part, toolkit, validate

SOURCE = Path(__file__).resolve().parents[2]
CMAKE = os.environ.get("PTXGUARD_CMAKE", "cmake")
# A project that sets what it compiles; `find_package` reports before CUDA is enabled.
PROJECT = ["cmake_minimum_required(VERSION 3.20)", "project(Case LANGUAGES CXX)", "find_package(CudaConsistent)"]


def in_shell(text: str, env: dict) -> dict:
    """The environment that a shell has after this line."""
    done = subprocess.run(["/bin/sh", "-euc", f"{text}\n/usr/bin/env -0"], env=env, capture_output=True, timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"{text}\n{done.stderr.decode()}")
    pairs = (line.split("=", 1) for line in done.stdout.decode().split("\0") if "=" in line)
    return {name: value for name, value in pairs if name not in ("_", "PWD", "SHLVL")}


@dataclass(frozen=True)
class CommandLine:
    """`ptxguard check` in a shell: a setting is an option of it, or a line of that shell."""
    case: CheckCase
    arguments: tuple
    env: dict

    def check(self) -> Answer:
        return self.case.check(*self.arguments, env=self.env)

    def apply(self, fix: dict) -> "CommandLine":
        words = shlex.split(fix["text"])
        if fix["kind"] == "setting" and words[0].startswith("--"):
            rest = list(self.arguments)
            at = rest.index(words[0])
            return replace(self, arguments=(*rest[:at], *words, *rest[at + 2:]))
        if fix["kind"] == "edit":  # of a line in a requirements file or a script: the one with the same name
            archs = re.fullmatch(r'set\(CMAKE_CUDA_ARCHITECTURES "(.*)"\)', fix["text"])
            if archs:  # --arch stands for that line of the project
                return replace(self, arguments=tuple(f"--arch={archs[1]}" if a.startswith("--arch=") else a for a in self.arguments))
            name = re.split("[=<>]", fix["text"])[0]
            return replace(self, arguments=tuple(fix["text"] if a.startswith(name + "=") else a for a in self.arguments))
        return replace(self, env=in_shell(fix["text"], self.env))


@dataclass(frozen=True)
class Project:
    """A CMake project configured again: a setting is a cmake option or a shell line, an edit a line of its file."""
    case: CheckCase
    lines: tuple
    options: tuple
    env: dict

    def check(self) -> Answer:
        folder = self.case.folder / "project"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text("\n".join(self.lines) + "\n")
        command = [CMAKE, "-S", str(folder), "-B", str(folder / "build"), f"-DCudaConsistent_PTXGUARD={PTXGUARD}",
                   f"-DCMAKE_MODULE_PATH={SOURCE}/cmake/Modules", *self.options]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=300)
        self.case.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(next((folder / "build/CudaConsistent").glob("report*.json")).read_text())
        validate(report)
        return Answer(done.returncode, report, done.stderr, report["findings"])

    def apply(self, fix: dict) -> "Project":
        text = fix["text"]
        if fix["kind"] == "edit":
            return replace(self, lines=tuple(edited(list(self.lines), text)))
        if text.startswith("-D"):
            return replace(self, options=(*self.options, *shlex.split(text)))
        return replace(self, env=in_shell(text, self.env))


def edited(lines: list, new: str) -> list:
    """Replaces the line that sets the same thing, else before find_package."""
    same = re.match(r"set\(\w+|\w+\(\w+=", new)
    for index, line in enumerate(lines):
        if same and line.startswith(same.group(0)):
            return [*lines[:index], new, *lines[index + 1:]]
    return [*lines[:2], new, *lines[2:]]


class FixCase(CheckCase):
    hidden: set = set()  # (code, level) that a set of parts has by itself, behind the fault that is repaired

    def assert_fixed(self, world, code: str, level: str, kinds: set, fresh=None, untried: str = "manual") -> None:
        """Each line that can be tried is an independent fix. `fresh` restores what a line changes on disk. Fixes of the kind
        `untried` are left out, as those for people always are."""
        before = world.check()
        found = [f for f in before.of(code) if f["level"] == level]
        self.assertTrue(found, f"no {level} {code} in {before.levels()}")
        for finding in found:
            offered = [fix for fix in finding["fix"] if fix["kind"] not in ("manual", untried)]
            self.assertEqual({fix["kind"] for fix in offered}, kinds, finding["fix"])
            for fix in offered:
                with self.subTest(code=code, fix=fix["text"]):
                    if fresh:
                        fresh()
                    after = world.apply(fix).check()
                    left = [f["message"] for f in after.of(code) if f["subject"] == finding["subject"]]
                    self.assertEqual(left, [], fix["text"])
                    if finding["level"] == "error" and any(f["fix"] for f in after.of("CC103")):  # an intermediate step: its own fix follows
                        after = world.apply(fix).apply(after.of("CC103")[0]["fix"][0]).check()
                        self.assertEqual([], [f["message"] for f in after.of(code) if f["subject"] == finding["subject"]])
                    worse = {l for l in after.levels() - before.levels() if l[1] in ("error", "warning")} - self.hidden
                    self.assertEqual(worse, set(), fix["text"] + "".join(f"\n{f['code']} {f['message']}" for f in after.findings))

    def shell(self, *arguments: str, **variables: str) -> CommandLine:
        return CommandLine(self, arguments, self.env(**variables))

    def project(self, *lines: str, options: tuple = (), **variables: str) -> Project:
        return Project(self, (*PROJECT[:2], *lines, *PROJECT[2:]), options, self.env(**variables))

    def links(self) -> tuple:
        """Two toolkits under names that a user would give them."""
        root = self.folder / "opt it's"
        root.mkdir()
        (root / "cuda").symlink_to(toolkit("pypi-repaired-13.0.2"))
        (root / "cuda-13.3").symlink_to(toolkit("toolkit-13.3"))
        return root, str(root / "cuda"), str(root / "cuda-13.3")


class Environment(FixCase):
    """Variables and search paths: CC101, CC102, CC103, CC112, CC113."""

    def test_a_variable_that_names_no_toolkit(self) -> None:
        root, cuda, _ = self.links()
        for name in ("CUDA_HOME", "CUDA_PATH"):
            self.assert_fixed(self.shell(**{name: f"{root}/cudda"}), "CC101", "error", {"setting"})
        for name, value in (("CUDAToolkit_ROOT", f"{root}/cudda"), ("CUDACXX", f"{root}/cudda/bin/nvcc")):
            self.assert_fixed(self.shell(CUDA_HOME=cuda, **{name: value}), "CC101", "warning", {"setting"})
        self.assert_fixed(self.shell(CUDA_HOME="/nowhere/else", PATH=f"{cuda}/bin:/usr/bin:/bin"), "CC101", "error", {"setting"})
        self.assert_fixed(self.shell("--toolkit", cuda, CUDA_HOME="/nowhere/else"), "CC101", "warning", {"setting"})
        done = subprocess.run([PTXGUARD, "check", "--isolated", "--toolkit", f"{root}/cudda"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"did you mean '{root}/cuda'?", done.stderr)

    def test_a_cmake_variable_that_names_no_toolkit(self) -> None:
        root, cuda, _ = self.links()
        self.assert_fixed(self.project(options=(f"-DCMAKE_CUDA_COMPILER={root}/cudda/bin/nvcc",)), "CC101", "error", {"setting"})
        self.assert_fixed(self.project(options=(f"-DCUDAToolkit_ROOT={root}/cudda",), CUDACXX=f"{cuda}/bin/nvcc"), "CC101", "warning", {"setting"})

    def test_a_search_path_entry_that_is_missing(self) -> None:
        root, cuda, _ = self.links()
        self.assert_fixed(self.shell(PATH=f"{root}/cudda/bin:/usr/bin:/bin", CUDA_HOME=cuda), "CC102", "warning", {"setting"})
        self.assert_fixed(self.shell(PATH="/usr/bin:/bin:/nowhere/cuda-12.1/bin", CUDA_HOME=cuda), "CC102", "warning", {"setting"})
        self.assert_fixed(self.shell(LD_LIBRARY_PATH="/nowhere/cuda/lib64", CUDA_HOME=cuda), "CC102", "warning", {"setting"})
        self.assert_fixed(self.shell(LD_LIBRARY_PATH=f"{root}/cudda/lib:{cuda}/lib", CUDA_HOME=cuda), "CC102", "warning", {"setting"})

    def test_selectors_that_disagree(self) -> None:
        root, cuda, other = self.links()
        path = f"{other}/bin:/usr/bin:/bin"
        for variables in ({"CUDA_HOME": cuda, "CUDA_PATH": other}, {"CUDA_HOME": cuda, "PATH": path},
                                 {"CUDA_HOME": cuda, "CUDA_PATH": cuda, "CUDACXX": f"{other}/bin/nvcc", "PATH": path},
                                 {"CUDA_HOME": cuda, "CUDA_PATH": other, "CUDAToolkit_ROOT": cuda, "PATH": path}):
            world = self.shell(**variables)
            level = world.check().of("CC103")[0]["level"]
            self.assert_fixed(world, "CC103", level, {"setting"})

    def test_a_compiler_and_another_toolkit_root_in_one_cmake(self) -> None:
        _, cuda, other = self.links()
        options = (f"-DCMAKE_CUDA_COMPILER={cuda}/bin/nvcc", f"-DCUDAToolkit_ROOT={other}")
        self.assert_fixed(self.project(options=options), "CC103", "warning", {"setting"})

    def test_a_toolkit_that_nothing_leads_to(self) -> None:
        root = self.folder / "image"
        linked_tree(Path(toolkit("toolkit-13.3")), root / "usr/local/cuda")
        answer = self.check("--root", str(root), "--env", "PATH=/usr/bin:/bin")
        fixes = [f for f in self.assert_finding(answer, "CC112", "warning")["fix"] if f["kind"] != "manual"]
        self.assertEqual([f["kind"] for f in fixes], ["setting"])
        path = in_shell(fixes[0]["text"], {"PATH": "/usr/bin:/bin"})["PATH"]
        self.assert_pass(self.check("--root", str(root), "--env", f"PATH={path}"))

    def test_a_search_path_variable_that_no_program_reads(self) -> None:
        cuda = toolkit("pypi-repaired-13.0.2")
        for variables in ({"LD_LIBARY_PATH": f"{cuda}/lib"}, {"LD_LIBARY_PATH": f"{cuda}/lib", "LD_LIBRARY_PATH": "/usr/lib"},
                          {"CUDA_HOMEE": cuda}, {"CUDAHOME_PATH": "/x"}):
            world = self.shell("--toolkit", cuda, **variables)
            if world.check().of("CC113"):
                self.assert_fixed(world, "CC113", "warning", {"setting"})


class Parts(FixCase):
    """What a package manager or the file system must repair: CC104, CC105, CC107, CC201."""

    def venv(self, name: str) -> Path:
        """A virtual environment with its own pip, in which this set was installed."""
        folder = self.folder / "venv"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True, timeout=120)
        site = next(folder.glob("lib/python3*/site-packages"))
        linked_tree(part(name), site)
        return site

    def in_venv(self, *arguments: str) -> CommandLine:
        keep = {k: v for k, v in os.environ.items() if k.startswith("PIP_") or k.lower().endswith("_proxy")}
        venv = self.folder / "venv"
        return self.shell(*arguments, VIRTUAL_ENV=str(venv), CUDA_HOME=str(next(venv.glob("lib/python3*/site-packages")) / "nvidia/cu13"), PATH=f"{venv}/bin:/usr/bin:/bin", PIP_QUIET="1", **keep)

    def test_parts_of_several_releases(self) -> None:
        for name, codes in (("pypi-mixed-13.0.88", ("CC104", "CC201")), ("pypi-mixed-crt-13.5", ("CC104",)), ("pypi-mixed-nvvm-13.0", ("CC104",))):
            for code in codes:
                self.venv(name)
                self.assert_fixed(self.in_venv(), code, "error", {"command"})

    def test_parts_that_are_missing(self) -> None:
        lost = {"cicc": ("nvidia/cu13/nvvm/bin/cicc",), "ptxas": ("nvidia/cu13/bin/ptxas",), "crt": ("nvidia/cu13/include/crt",),
                "all but nvcc": ("nvidia/cu13/nvvm", "nvidia/cu13/include", "nvidia/cu13/bin/cudafe++")}
        for what, paths in lost.items():
            with self.subTest(lost=what):
                site = self.venv("pypi-repaired-13.0.2")
                for path in paths:
                    shutil.rmtree(site / path) if (site / path).is_dir() else (site / path).unlink()
                if what == "crt" and not self.in_venv().check().of("CC105"):
                    self.skipTest("the headers of another toolkit lie in a default folder of the host compiler")
                self.assert_fixed(self.in_venv(), "CC105", "error", {"command"})

    def test_packages_that_are_missing(self) -> None:
        self.venv("ptxas-13.0")
        self.assert_fixed(self.in_venv(), "CC105", "error", {"command"})

    def test_debians_packages(self) -> None:
        """apt is mocked: it restores the contents of the packages of that name, and knows no others."""
        root, whole = self.folder / "debian", part("debian-nvcc-12.4")
        held = {"nvidia-cuda-toolkit": ["usr/bin", "usr/lib/nvidia-cuda-toolkit"], "nvidia-cuda-dev": ["usr/include"]}
        for what in ("usr/bin/ptxas", "usr/lib/nvidia-cuda-toolkit/bin/cicc", "usr/include/crt", "usr/include/cuda_runtime_api.h"):
            with self.subTest(lost=what):
                shutil.rmtree(root, ignore_errors=True)
                shutil.copytree(whole, root, symlinks=True)
                shutil.rmtree(root / what) if (root / what).is_dir() else (root / what).unlink()
                found = self.assert_finding(self.check("--root", str(root), "--env", "PATH=/usr/bin:/bin"), "CC105", "error")
                words = shlex.split(next(f["text"] for f in found["fix"] if f["kind"] == "command"))
                self.assertEqual(words[:3], ["apt-get", "install", "--reinstall"])
                for folder in sum((held[package] for package in words[3:]), []):
                    subprocess.run(["cp", "-a", f"{whole}/{folder}", str((root / folder).parent)], check=True)
                self.assert_pass(self.check("--root", str(root), "--env", "PATH=/usr/bin:/bin"))

    def test_a_program_without_permission(self) -> None:
        kit = self.folder / "the cuda"
        shutil.copytree(toolkit("pypi-repaired-13.0.2"), kit, symlinks=True)
        for name in ("bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"):
            (kit / name).chmod(0o644)
            self.assert_fixed(self.shell("--toolkit", str(kit)), "CC107", "error", {"command"}, fresh=lambda: (kit / name).chmod(0o644))
            (kit / name).chmod(0o755)

    def test_a_link_to_nvcc_alone(self) -> None:
        links = self.folder / "links"
        links.mkdir()
        (links / "nvcc").symlink_to(toolkit("pypi-repaired-13.0.2") + "/bin/nvcc")
        self.assert_fixed(self.shell(PATH=f"{links}:/usr/bin:/bin"), "CC107", "error", {"setting"})

    def test_flags_that_nvcc_does_not_know(self) -> None:
        world = self.shell("--toolkit", toolkit("pypi-repaired-13.0.2"), NVCC_APPEND_FLAGS="--bogus")
        self.assert_fixed(world, "CC107", "error", {"setting"})


class Choices(FixCase):
    """Another installed toolkit, list, compiler or build: CC003, CC108, CC201 to CC203, CC601, CC603, CC605, CC606."""
    hidden = {("CC105", "error")}  # the wheels of CUDA 11 and 12 in nvcc-11.8-working and nvcc-12.4-working have nothing to link with

    def test_a_host_compiler_that_nvcc_refuses(self) -> None:
        kit = str(part("nvcc-11.8-working"))
        worlds = [self.shell("--toolkit", kit), self.shell("--toolkit", kit, NVCC_PREPEND_FLAGS="-lineinfo"),
                  self.shell("--toolkit", kit, NVCC_APPEND_FLAGS="-ccbin g++ -lineinfo"), self.shell("--toolkit", kit, CUDAHOSTCXX="/usr/bin/g++"),
                  self.project(options=(f"-DCMAKE_CUDA_COMPILER={kit}/bin/nvcc",))]
        plain = worlds[0].check().of("CC108")
        if not plain or all(fix["kind"] == "manual" for fix in plain[0]["fix"]):
            self.skipTest("the host compiler here fits, or no other is here")
        for world in worlds:
            if world.check().of("CC108"):
                self.assert_fixed(world, "CC108", "error", {"setting"})

    def test_architectures_that_nvcc_does_not_know(self) -> None:
        kit = toolkit("pypi-repaired-13.0.2")
        for variable, archs in (("TORCH_CUDA_ARCH_LIST", "6.0;8.0+PTX;9.0a"), ("CUDAARCHS", "60;80-real;90a")):
            world = self.shell("--toolkit", kit, **{variable: archs})
            self.assert_fixed(world, "CC203", "error", {"setting"}, untried="command")  # NVIDIA's installer of an older CUDA

    def test_architectures_that_another_toolkit_knows(self) -> None:
        old, new = str(part("nvcc-12.4-working")), toolkit("pypi-repaired-13.0.2")
        for arch in ("100", "100;80"):
            world = self.shell(f"--arch={arch}", "--toolkit", old, "--toolkit", new)
            offered = [fix for fix in world.check().of("CC203")[0]["fix"] if fix["kind"] == "setting"]
            self.assertEqual(offered, [], "the first release that knows it is not here")

    def test_ptx_that_the_driver_does_not_read(self) -> None:
        old, new = str(part("nvcc-12.4-working")), toolkit("pypi-repaired-13.0.2")
        path = f"{new}/bin:{old}/bin:/usr/bin:/bin"
        self.assert_fixed(self.shell("--driver", "550.54.14", "--arch=80-virtual", PATH=path), "CC202", "error", {"edit", "setting"})
        self.assert_fixed(self.shell("--driver", "550.54.14", CUDAARCHS="80", PATH=path), "CC202", "warning", {"setting"})

    def test_the_toolkit_that_fits_the_framework_is_here(self) -> None:
        old, new = str(part("nvcc-12.4-working")), toolkit("pypi-repaired-13.0.2")
        both = {"PATH": f"{new}/bin:{old}/bin:/usr/bin:/bin"}
        site = str(part("torch-2.5.1"))
        self.assert_fixed(self.shell("--python", site, "--build", **both), "CC601", "error", {"setting"}, untried="command")
        self.assert_fixed(self.shell("--python", site, "--toolkit", new, "--toolkit", old), "CC601", "error", {"setting"}, untried="command")
        self.assert_fixed(self.shell("--python", site, CUDA_HOME=new, **both), "CC601", "error", {"setting"}, untried="command")
        self.assert_fixed(self.shell("--python", site, CUDACXX=f"{new}/bin/nvcc", **both), "CC601", "error", {"setting"}, untried="command")
        project = self.project(options=(f"-DCMAKE_CUDA_COMPILER={new}/bin/nvcc", f"-DCudaConsistent_PYTHON={site}"), **both)
        self.assert_fixed(project, "CC601", "error", {"setting"}, untried="command")

    def test_a_build_of_a_framework_that_was_never_released(self) -> None:
        for pin in ("torch==2.0.0+cu121", "torch==2.5.1+cu117"):
            world = self.shell("--toolkit", str(part("nvcc-12.4-working")), "--framework", pin)
            before = world.check()
            for fix in before.of("CC603")[0]["fix"]:
                self.assertEqual(fix["kind"], "edit")
                after = world.apply(fix).check()
                self.assertEqual(after.of("CC603"), [], fix["text"])

    def test_standard_and_abi_of_the_project(self) -> None:
        kit, site = str(part("nvcc-12.4-working")), str(part("torch-2.5.1"))
        options = (f"-DCMAKE_CUDA_COMPILER={kit}/bin/nvcc", f"-DCudaConsistent_PYTHON={site}")
        self.assert_fixed(self.project("set(CMAKE_CXX_STANDARD 14)", options=options), "CC606", "error", {"edit"})
        for line in ("add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=1)", 'set(CMAKE_CXX_FLAGS "-O2 -D_GLIBCXX_USE_CXX11_ABI=1")'):
            self.assert_fixed(self.project(line, options=options), "CC605", "error", {"edit"})

    def test_suppressions_that_match_nothing(self) -> None:
        kit, config = toolkit("pypi-repaired-13.0.2"), self.folder / "ptxguard.toml"
        for entry in ("CC104", "CC9999"):
            config.write_text(f'[ignore]\n{entry} = "known"\n')
            command = ("--toolkit", kit, "--config", str(config))
            found = self.assert_finding(self.unisolated(*command), "CC003", "warning")
            fix = next(f for f in found["fix"] if f["kind"] == "edit")
            self.assertEqual(fix["text"], f"remove the suppression {entry}")
            lines = config.read_text().splitlines()
            del lines[(found["location"] or {}).get("line", 2) - 1]
            config.write_text("\n".join(lines))
            self.assert_pass(self.unisolated(*command))

    def unisolated(self, *arguments: str) -> Answer:
        done = subprocess.run([PTXGUARD, "check", "--format", "json", *arguments], env=self.env(), capture_output=True, text=True, timeout=300)
        report = json.loads(done.stdout)
        return Answer(done.returncode, report, done.stderr, report["findings"])


if __name__ == "__main__":
    unittest.main()
