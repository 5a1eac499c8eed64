# Configures that run at the same time, are killed, or have a strange or read-only build folder. The ptxguard that they
# bootstrap is a small program that starts the real one: only the bootstrap is tested, the real one is compiled
# elsewhere.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import PTXGUARD, CheckCase, toolkit

SOURCE = Path(__file__).resolve().parents[2]
CMAKE = os.environ.get("PTXGUARD_CMAKE", "cmake")
SMALL = """cmake_minimum_required(VERSION 3.20)
project(Small LANGUAGES CXX)
add_executable(ptxguard tools/ptxguard/main.cpp)
add_custom_command(TARGET ptxguard PRE_LINK COMMAND sh -c "echo x >> \\"$BUILT\\"; sleep 2" VERBATIM)
"""
# A machine without headers and, behind a proxy that is not there, without a network.
BARE = """cmake_minimum_required(VERSION 3.20)
project(Bare LANGUAGES CXX)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
set(PTXGUARD_FETCH $ENV{FETCH})
include(cmake/Dependencies.cmake)
"""
MAIN = "#include <unistd.h>\nint main(int, char** argv) { return execv(\"%s\", argv), 3; }\n"


class Configure(CheckCase):
    def setUp(self) -> None:
        super().setUp()
        self.cache = self.folder / "cache"  # ptxguard is built into it
        self.kit = toolkit("pypi-repaired-13.0.2")
        self.project = self.folder / "project"
        self.project.mkdir()
        self.built = self.folder / "built"
        (self.project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(Case LANGUAGES NONE)\nfind_package(CudaConsistent REQUIRED)\n")

    def small(self) -> Path:
        """The module next to the sources of a small ptxguard."""
        root = self.folder / "sources"
        shutil.copytree(SOURCE / "cmake/Modules", root / "cmake/Modules")
        (root / "tools/ptxguard").mkdir(parents=True)
        (root / "CMakeLists.txt").write_text(SMALL)
        (root / "tools/ptxguard/main.cpp").write_text(MAIN % PTXGUARD)
        return root / "cmake/Modules"

    def command(self, build: Path, *options: str, modules: Path | None = None) -> list:
        own = [] if modules else [f"-DCudaConsistent_PTXGUARD={PTXGUARD}"]
        return [CMAKE, "-S", str(self.project), "-B", str(build), f"-DCMAKE_MODULE_PATH={modules or SOURCE / 'cmake/Modules'}", *own, *options]

    def run_it(self, command: list, **variables: str) -> subprocess.CompletedProcess:
        env = self.env(**{"BUILT": str(self.built), "CUDA_PATH": self.kit, "CUDACXX": f"{self.kit}/bin/nvcc", **variables})
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)

    def assert_good(self, done: subprocess.CompletedProcess) -> None:
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Checking CUDA toolchain - ok", done.stdout)

    def at_once(self, commands: list) -> list:
        with ThreadPoolExecutor(len(commands)) as pool:
            return list(pool.map(self.run_it, commands))

    def kill(self, command: list, when, **variables: str) -> None:
        env = self.env(BUILT=str(self.built), CUDA_PATH=self.kit, **{"CUDACXX": f"{self.kit}/bin/nvcc", **variables})
        running = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            if when():
                break
            time.sleep(0.1)
        self.assertTrue(when(), "it did not get so far")
        running.kill()
        running.wait(timeout=20)

    def test_two_build_folders_share_one_cache(self) -> None:
        for done in self.at_once([self.command(self.folder / f"build{i}") for i in range(3)]):
            self.assert_good(done)

    def test_two_configures_of_one_build_folder_build_ptxguard_once(self) -> None:
        command = self.command(self.folder / "build", modules=self.small())
        # CMake itself does not support two first configures: each deletes the other's CMakeFiles.
        lists = self.project / "CMakeLists.txt"
        text = lists.read_text()
        lists.write_text(text.replace("find_package(CudaConsistent REQUIRED)", ""))
        self.assertEqual(self.run_it(command).returncode, 0)
        lists.write_text(text)
        for done in self.at_once([command, command]):
            self.assert_good(done)
        self.assert_good(self.run_it(command))
        self.assertEqual(self.built.read_text(), "x\n")

    def test_a_bootstrap_that_was_killed(self) -> None:
        command = self.command(self.folder / "build", modules=self.small())
        self.kill(command, self.built.exists)
        program = self.stored() / "bin/ptxguard"
        time.sleep(3)  # the compiler that was left running ends
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_bytes(b"\x7fELF half a program")
        program.chmod(0o755)
        self.assert_good(self.run_it(command))
        self.assertEqual(subprocess.run([program, "--version"], capture_output=True).returncode, 0)

    def stored(self) -> Path:
        return next((self.cache / "ptxguard/programs").iterdir())

    def test_build_trees_share_what_was_built(self) -> None:
        modules = self.small()
        for done in self.at_once([self.command(self.folder / f"build{i}", modules=modules) for i in range(2)]):
            self.assert_good(done)
        self.assertEqual(self.built.read_text(), "x\n")
        started = time.monotonic()
        again = self.run_it(self.command(self.folder / "build3", modules=modules))
        self.assert_good(again)
        self.assertNotIn("Building ptxguard", again.stdout)
        self.assertLess(time.monotonic() - started, 20)
        main = modules.parents[1] / "tools/ptxguard/main.cpp"
        main.write_text(main.read_text() + "// newer\n")
        self.assertIn("Building ptxguard 0.1.0", self.run_it(self.command(self.folder / "build1", modules=modules)).stdout)

    def test_a_cache_that_cannot_be_used(self) -> None:
        modules = self.small()
        for name in ("a file", "open to all"):
            with self.subTest(name=name):
                cache = self.folder / name
                if name == "a file":
                    cache.write_text("")
                else:
                    (cache / "ptxguard/programs").mkdir(parents=True)
                    (cache / "ptxguard/programs").chmod(0o777)
                build = self.folder / f"build {name}"
                self.assert_good(self.run_it(self.command(build, modules=modules), XDG_CACHE_HOME=str(cache)))
                self.assertTrue(list(build.glob("CudaConsistent/*/bin/ptxguard")))

    def test_nothing_is_made_that_was_not_asked_for(self) -> None:
        modules = self.small()
        for value, text in (("off", "CudaConsistent_PROVIDE is off"), ("conda", "set it to build, pip or off"),
                            ("pip", "needs CudaConsistent_WHEELS")):
            done = self.run_it(self.command(self.folder / "build", f"-DCudaConsistent_PROVIDE={value}", modules=modules))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(text, " ".join(done.stderr.split()))
        self.assertFalse(self.built.exists())

    def test_a_missing_dependency_is_named_with_its_package(self) -> None:
        modules = self.small()
        shutil.copy(SOURCE / "cmake/Dependencies.cmake", modules.parent)
        (modules.parents[1] / "CMakeLists.txt").write_text(BARE)
        messages = {"OFF": r"ptxguard needs CLI11: .* apt-get install libcli11-dev\)",
                "ON": r"CLI11 is not installed \([^\n]* apt-get install libcli11-dev\), and fetching it failed: "}
        for fetch, message in messages.items():
            with self.subTest(fetch=fetch):
                done = self.run_it(self.command(self.folder / fetch, modules=modules), FETCH=fetch, https_proxy="http://127.0.0.1:9")
                self.assertRegex(done.stderr, r"Reason given by package: .*" + message)

    def test_a_check_that_was_killed(self) -> None:
        mark, front = self.folder / "mark", self.folder / "nvcc"
        front.write_text(f'#!/bin/sh\ncase " $* " in *" -ptx "*|*" --keep "*) touch "{mark}"; exec sleep 20;; esac\nexec "{self.kit}/bin/nvcc" "$@"\n')
        front.chmod(0o755)
        command = self.command(self.folder / "build")
        self.kill(command, mark.exists, CUDACXX=str(front))
        self.assert_good(self.run_it(command))

    def test_a_second_configure_compiles_nothing(self) -> None:
        """CMake writes nvcc's default architecture into its cache; another one needs another probe. Nor does it link."""
        log, front = self.folder / "log", self.folder / "front/bin/nvcc"
        front.parent.mkdir(parents=True)
        (self.folder / "front/lib").symlink_to(f"{self.kit}/lib")
        front.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec "{self.kit}/bin/nvcc" "$@"\n')
        front.chmod(0o755)
        lists = self.project / "CMakeLists.txt"
        lists.write_text(lists.read_text().replace("NONE", "CXX") + "enable_language(CUDA)\n")
        command = self.command(self.folder / "build", "-GNinja")
        probes, links = [], []
        for more in ([], [], ["-DCMAKE_CUDA_ARCHITECTURES=80"], []):
            log.write_text("")
            self.assert_good(self.run_it([*command, *more], CUDACXX=str(front), LIBRARY_PATH=f"{self.kit}/lib"))
            probes.append(len(re.findall(r"^(?!--dryrun).*\bprobe\.cu", log.read_text(), re.MULTILINE)))
            links.append("-shared" in log.read_text())
        self.assertEqual([bool(count) for count in probes], [True, False, True, False], probes)
        self.assertEqual(links, [True, False, False, False])

    def test_build_folders_with_strange_names(self) -> None:
        for name in ("a b", "it's", "ö λ 日本", "a$b", "100%&()", "a;b"):
            with self.subTest(name=name):
                bare = self.run_it([CMAKE, "-S", str(self.project), "-B", str(self.folder / "bare" / name), "-DCMAKE_DISABLE_FIND_PACKAGE_CudaConsistent=ON"])
                if "generated" not in bare.stdout and "Generating done" not in bare.stdout and "REQUIRED" not in bare.stderr:
                    continue  # CMake itself does not accept it
                self.assert_good(self.run_it(self.command(self.folder / name)))

    def test_a_report_that_has_no_place(self) -> None:
        build = self.folder / "build"
        build.mkdir()
        (build / "CudaConsistent").write_text("a file")
        done = self.run_it(self.command(build))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("CudaConsistent cannot be made", done.stderr)

    def test_a_full_and_a_read_only_folder(self) -> None:
        build = self.folder / "build"
        (build / "CudaConsistent").mkdir(parents=True)
        for options in ("size=4k", "ro"):
            mount = f"mount -t tmpfs -o {options} none '{build}/CudaConsistent'"
            fill = "" if options == "ro" else f" && head -c 4096 /dev/zero > '{build}/CudaConsistent/x'"
            prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{mount}{fill} && exec "$@"', "sh"]
            if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
                self.skipTest("nothing can be mounted here")
            done = self.run_it([*prefix, *self.command(build)])
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertIn("report.json cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
