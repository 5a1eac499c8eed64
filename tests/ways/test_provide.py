# CudaConsistent_PROVIDE=pip and build when something is wrong: one line with the reason, and the configure continues.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import hashlib
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Iterator
from pathlib import Path

from ways import DIST, ROOT, WORK, environment, run, wheel


class Page(http.server.BaseHTTPRequestHandler):
    """A proxy that answers every request with its own page."""

    def do_GET(self) -> None:
        body = b"<html><body>Please <a href='/login'>log in</a></body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *ignored: object) -> None:
        pass


@contextlib.contextmanager
def page_server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple"
        server.shutdown()


class Provide(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = WORK / "provide" / self._testMethodName
        shutil.rmtree(self.folder, ignore_errors=True)
        self.cache = self.folder / "cache"
        self.cache.mkdir(parents=True)
        # The module without the sources and without a program next to it.
        self.modules = self.folder / "a/cmake/Modules"
        shutil.copytree(ROOT / "cmake/Modules", self.modules)

    def command(self, wheels: object = DIST, hash: str = "", python: str = sys.executable) -> list[str]:
        hash = hash or hashlib.sha256(wheel().read_bytes()).hexdigest()
        return [os.environ["PTXGUARD_CMAKE"], f"-DCMAKE_MODULE_PATH={self.modules}", "-DCudaConsistent_PROVIDE=pip",
                f"-DCudaConsistent_WHEELS={wheels}", f"-DCudaConsistent_WHEEL_HASH={hash}", f"-DPython_EXECUTABLE={python}",
                "-P", str(ROOT / "tests/ways/find.cmake")]

    def environment(self) -> dict:
        return environment(PATH="/usr/bin:/bin", XDG_CACHE_HOME=str(self.cache))

    def find(self, **options: object) -> str:
        return run(*self.command(**options), env=self.environment(), cwd=self.folder)

    def programs(self) -> list[Path]:
        return sorted(self.cache.glob("ptxguard/programs/*/bin/ptxguard"))

    def assert_failed(self, text: str, cause: str) -> None:
        [line] = [line for line in text.splitlines() if "ptxguard could not be provided" in line]
        self.assertIn(cause, line)
        self.assertRegex(text, r"(?m)^taken: *$")
        self.assertEqual([p for p in self.programs() if (p.parents[1] / "complete").exists()], [])

    def test_no_python(self) -> None:
        self.assert_failed(self.find(python="/nonexistent/python"), "/nonexistent/python")

    def test_python_without_pip(self) -> None:
        bare = self.folder / "venv"
        run(sys.executable, "-m", "venv", "--without-pip", bare)
        self.assert_failed(self.find(python=str(bare / "bin/python")), "No module named pip")

    def test_wheel_of_another_system(self) -> None:
        dist = self.folder / "dist"
        dist.mkdir()
        shutil.copy(wheel(), dist / "ptxguard-0.1.0-py3-none-win_amd64.whl")
        self.assert_failed(self.find(wheels=dist), "No matching distribution found for ptxguard==0.1.0")

    def test_empty_folder(self) -> None:
        self.assert_failed(self.find(wheels=self.folder), "No matching distribution found for ptxguard==0.1.0")

    def test_proxy_that_answers_with_a_page(self) -> None:
        with page_server() as url:
            self.assert_failed(self.find(wheels=url), "No matching distribution found for ptxguard==0.1.0")

    def test_another_hash(self) -> None:
        self.assert_failed(self.find(hash="0" * 64), "DO NOT MATCH THE HASHES")

    def test_damaged_wheel(self) -> None:
        dist = self.folder / "dist"
        dist.mkdir()
        cut = dist / wheel().name
        cut.write_bytes(wheel().read_bytes()[:-1000])
        hash = hashlib.sha256(cut.read_bytes()).hexdigest()
        self.assert_failed(self.find(wheels=dist, hash=hash), cut.name)

    def test_cache_that_cannot_be_written(self) -> None:
        self.cache.rmdir()
        self.cache.write_text("a file")
        text = self.find()
        self.assertIn(f"taken: {self.folder}/CudaConsistent/", text)

    @unittest.skipIf(os.geteuid() != 0, "only root can give a folder away")
    def test_cache_of_another_user(self) -> None:
        programs = self.cache / "ptxguard/programs"
        programs.mkdir(parents=True)
        os.chown(programs, 12345, 12345)
        text = self.find()
        self.assertIn(f"taken: {self.folder}/CudaConsistent/", text)
        self.assertEqual(list(programs.iterdir()), [])

    def test_cache_that_others_may_write(self) -> None:
        programs = self.cache / "ptxguard/programs"
        programs.mkdir(parents=True)
        programs.chmod(0o777)
        self.assertIn(f"taken: {self.folder}/CudaConsistent/", self.find())

    def test_half_a_program(self) -> None:
        self.find()
        [program] = self.programs()
        program.write_bytes(program.read_bytes()[:5000])
        (program.parents[1] / "complete").unlink()
        text = self.find()
        self.assertIn(f"taken: {program}", text)
        self.assertIn("ptxguard 0.1.0", run(program, "--version"))

    def test_programs_that_cannot_be_used_are_named(self) -> None:
        programs = {"other libc": ("echo 'libc.so.6: version GLIBC_2.99 not found' >&2; exit 1",
                                   "does not run here (libc.so.6: version GLIBC_2.99 not found)"),
                    "older": ("echo 'ptxguard 0.0.9'", "is ptxguard 0.0.9"),
                    "another": ("echo hello", "is not ptxguard")}
        for name, (script, why) in programs.items():
            with self.subTest(name):
                program = self.folder / name / "ptxguard"
                program.parent.mkdir()
                program.write_text(f"#!/bin/sh\n{script}\n")
                program.chmod(0o755)
                text = run(os.environ["PTXGUARD_CMAKE"], f"-DCMAKE_MODULE_PATH={self.modules}", "-P", str(ROOT / "tests/ways/find.cmake"),
                           env={**self.environment(), "PATH": f"{program.parent}:/usr/bin:/bin"}, cwd=self.folder)
                self.assertIn(f"(skipped: {program} {why})", " ".join(text.split()))
                if name != "older":  # the given one may be of another version
                    named = run(os.environ["PTXGUARD_CMAKE"], f"-DCMAKE_MODULE_PATH={self.modules}", f"-DCudaConsistent_PTXGUARD={program}",
                                "-P", str(ROOT / "tests/ways/find.cmake"), env=self.environment(), cwd=self.folder)
                    self.assertIn(f"CudaConsistent_PTXGUARD: {program} {why}", " ".join(named.split()))

    def test_two_configures_at_once(self) -> None:
        started = [subprocess.Popen(self.command(), env=self.environment(), cwd=self.folder, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True) for _ in range(3)]
        texts = [process.communicate(timeout=250)[0] for process in started]
        [program] = self.programs()
        for text in texts:
            self.assertIn(f"taken: {program}", text)
        self.assertEqual(sum("- done" in text for text in texts), 1)


class Build(unittest.TestCase):
    """CudaConsistent_PROVIDE=build, where ten short sources compile to a program that starts the real one."""

    def setUp(self) -> None:
        self.folder = WORK / "build" / self._testMethodName
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(ROOT / "cmake/Modules", self.folder / "cmake/Modules")
        sources = self.folder / "tools/ptxguard"
        sources.mkdir(parents=True)
        (sources / "main.cpp").write_text(
            f'#include <unistd.h>\nint main(int, char** words) {{ return execv("{os.environ["PTXGUARD"]}", words); }}\n')
        for number in range(9):
            (sources / f"{number}.cpp").write_text(f"int f{number}() {{ return {number}; }}\n")
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(small LANGUAGES CXX)\nfile(GLOB sources tools/ptxguard/*.cpp)\n"
            "add_executable(ptxguard ${sources})\n")

    def find(self) -> str:
        return run(os.environ["PTXGUARD_CMAKE"], f"-DCMAKE_MODULE_PATH={self.folder}/cmake/Modules", "-DCudaConsistent_PROVIDE=build",
                   "-P", ROOT / "tests/ways/find.cmake", cwd=self.folder,
                   env=environment(PATH="/usr/bin:/bin", XDG_CACHE_HOME=str(self.folder / "cache")))

    def test_progress(self) -> None:
        text = self.find()
        shown = [int(percent) for percent in re.findall(r"^-- Building ptxguard: (\d+) %$", text, re.MULTILINE)]
        self.assertGreater(len(shown), 5)
        self.assertEqual(shown, sorted(set(shown)))
        self.assertRegex(text, r"taken: .*/bin/ptxguard")
        self.assertNotIn("Building", self.find())

    def test_ninja(self) -> None:
        """If the project is built with Ninja, make may be missing."""
        (self.folder / "project").mkdir()
        (self.folder / "project/CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.20)\nproject(x LANGUAGES NONE)\ninclude({ROOT}/tests/ways/find.cmake)\n")
        text = run(os.environ["PTXGUARD_CMAKE"], "-G", "Ninja", "-S", "project", "-B", "tree", "-DCudaConsistent_PROVIDE=build",
                   f"-DCMAKE_MODULE_PATH={self.folder}/cmake/Modules", cwd=self.folder,
                   env=environment(PATH="/usr/bin:/bin", XDG_CACHE_HOME=str(self.folder / "cache")))
        self.assertRegex(text, r"taken: .*/bin/ptxguard")
        self.assertRegex((self.folder / "tree/CudaConsistent/build.log").read_text(), r"^\[1/\d+\] ")

    def test_failed_configure(self) -> None:
        (self.folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.20)\nproject(small LANGUAGES NONE)\ninclude(absent)\n")
        text = self.find()
        [line] = [line for line in text.splitlines() if "ptxguard could not be provided" in line]
        self.assertRegex(line, r"CMake Error at CMakeLists\.txt:3 .*not find.* \(CudaConsistent/configure\.log\)")

    def test_failed_fetch(self) -> None:
        """Names what to install, and only if the fetch failed."""
        says = 'message(STATUS "ptxguard needs small: fetched, as it is not installed (Debian, Ubuntu: apt-get install libsmall-dev)")'
        start = f"cmake_minimum_required(VERSION 3.20)\nproject(small LANGUAGES NONE)\ninclude(FetchContent)\n{says}\n"
        (self.folder / "CMakeLists.txt").write_text(
            start + "FetchContent_Declare(small URL file:///nowhere/small.tar.gz)\nFetchContent_MakeAvailable(small)\n")
        [line] = [line for line in self.find().splitlines() if "ptxguard could not be provided" in line]
        self.assertRegex(line, r"small is not installed \(Debian, Ubuntu: apt-get install libsmall-dev\), and fetching it failed: CMake Error")
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        (self.folder / "CMakeLists.txt").write_text(start + "include(absent)\n")
        [line] = [line for line in self.find().splitlines() if "ptxguard could not be provided" in line]
        self.assertRegex(line, r"\(configure\): CMake Error at CMakeLists\.txt:5 .*not find.*")

    def test_failed_compile(self) -> None:
        (self.folder / "tools/ptxguard/5.cpp").write_text("#error not this one\n")
        text = self.find()
        [line] = [line for line in text.splitlines() if "ptxguard could not be provided" in line]
        self.assertRegex(line, r"5\.cpp:1:2: error: #error not this one \(CudaConsistent/build\.log\)")
        self.assertIn("not this one", (self.folder / "CudaConsistent/build.log").read_text())
        self.assertRegex(text, r"(?m)^taken: *$")

    def test_the_next_try_keeps_objects(self) -> None:
        """Except those of the last minute before the build stopped, which may be truncated."""
        sources = self.folder / "tools/ptxguard"
        (sources / "5.cpp").write_text(f'#include "{self.folder}/later.hpp"\n')
        now = time.time()
        for source in sources.iterdir():
            os.utime(source, (now - 3000, now - 3000))
        text = self.find()
        self.assertRegex(text, r"Building ptxguard 0\.1\.0 \(about \d+ min on \d+ cores")
        self.assertRegex(text, r"failed after 0 min \d+ s")
        for name, age in (("flags.make", 2000), ("compiler_depend.ts", 2000), ("1.cpp.o", 1000)):  # of a build that took long
            for file in (self.folder / "cache").rglob(name):
                os.utime(file, (now - age, now - age))
        [truncated] = (self.folder / "cache").rglob("2.cpp.o")
        truncated.write_bytes(truncated.read_bytes()[:100])
        (self.folder / "later.hpp").write_text("int later;\n")
        text = self.find()
        self.assertRegex(text, r"done in 0 min \d+ s")
        compiled = (self.folder / "CudaConsistent/build.log").read_text()
        self.assertIn("2.cpp.o", compiled)
        self.assertNotIn("1.cpp.o", compiled)
