# What `ptxguard deps` reports for Windows files: compared with wine's loader, if wine follows the rule of Windows, and
# on real wheels for win_amd64. Needs wine64 and x86_64-w64-mingw32-gcc for the former.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import PTXGUARD, CheckCase, validate

WINE = shutil.which("wine64") or shutil.which("wine64-stable") or shutil.which("wine64", path="/usr/lib/wine")
GCC = shutil.which("x86_64-w64-mingw32-gcc")

# What wine's PATH has before the test's own folders are prepended.
WINDOWS_PATH = r"C:\windows\system32;C:\windows;C:\windows\system32\wbem;C:\windows\system32\WindowsPowershell\v1.0"

# Loads a file as programs do: `load FLAGS FILE [ADDED FOLDER ...]`; "bare" stands for LoadLibrary.
LOADER = r"""
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
int wmain(int count, wchar_t **words) {
    for (int i = 3; i < count; ++i)
        if (!AddDllDirectory(words[i])) return 2;
    HMODULE file = LoadLibraryExW(words[2], NULL, wcstoul(words[1], NULL, 16));
    printf("%s %lu\n", file ? "loaded" : "failed", file ? 0 : GetLastError());
    return 0;
}
"""
CPYTHON = "1100"   # LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
ALTERED = "8"      # LOAD_WITH_ALTERED_SEARCH_PATH
BARE = "0"


def needs_wine() -> None:
    if not WINE or not GCC:
        raise unittest.SkipTest("needs wine64 and x86_64-w64-mingw32-gcc")


class DepsCase(CheckCase):
    def deps(self, *arguments: str) -> dict:
        command = [PTXGUARD, "deps", "--os", "windows", "--format", "json", *arguments]
        done = subprocess.run(command, env=self.env(), capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, (0, 1), f"{command}\n{done.stdout}\n{done.stderr}")
        report = json.loads(done.stdout)
        validate(report)
        return report

    def library(self, report: dict, name: str) -> dict:
        for library in report["files"][0]["libraries"]:
            if library["name"].lower() == name.lower():
                return library
        self.fail(f"{name} is not in {json.dumps(report, indent=1)}")

    def codes(self, report: dict) -> set:
        return {(f["code"], f["level"]) for f in report["findings"] if not f["suppressed"]}


class WineLoader(DepsCase):
    """Each arrangement is put into wine's drive C, run under wine, and traced by ptxguard; both must find one file."""

    @classmethod
    def setUpClass(cls) -> None:
        needs_wine()
        cls.home = Path(tempfile.mkdtemp(prefix="ptxguard-wine-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.wine("wineboot", "-i")
        cls.wineserver("-p")   # stays between the programs
        cls.addClassCleanup(cls.wineserver, "-k")
        cls.drive = cls.home / "prefix/drive_c"
        cls.made = cls.home / "made"
        cls.made.mkdir()
        for name in ("cublas64_12", "cublasLt64_12", "cudnn64_9"):
            cls.compile_dll(name)
        cls.compile_dll("plugin", needs=["cublas64_12"])
        cls.compile_dll("module", needs=["cublas64_12"])
        # cuBLAS that needs cuBLASLt, for searches that reach through one DLL to the next.
        cls.compile_dll("cublas64_12", needs=["cublasLt64_12"], output="cublas-needing.dll")
        cls.compile("load.exe", LOADER, "-municode")
        cls.compile("program.exe", "__declspec(dllimport) int of_cublas64_12(void); int main(void){return of_cublas64_12();}",
                    str(cls.made / "cublas64_12.dll"))

    @classmethod
    def wine(cls, *words: str, folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess:
        env = {"HOME": str(cls.home), "PATH": "/usr/bin:/bin", "WINEPREFIX": str(cls.home / "prefix"), "WINEDEBUG": "-all",
               "WINEDLLOVERRIDES": "mscoree,mshtml=", **variables}
        # Into a file: wine's services keep running and would keep a pipe open.
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            done = subprocess.run([WINE, *words], cwd=folder or cls.home, env=env, stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=subprocess.STDOUT, timeout=120)
            output.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, output.read())

    @classmethod
    def wineserver(cls, option: str) -> None:
        server = shutil.which("wineserver") or shutil.which("wineserver64", path="/usr/lib/wine")
        if server:
            subprocess.run([server, option], env={"WINEPREFIX": str(cls.home / "prefix"), "PATH": "/usr/bin:/bin"}, check=False)

    @classmethod
    def compile(cls, output: str, text: str, *words: str) -> None:
        source = cls.made / (output + ".c")
        source.write_text(text)
        subprocess.run([GCC, "-O1", "-o", str(cls.made / output), str(source), *words], check=True, capture_output=True)

    @classmethod
    def compile_dll(cls, name: str, needs: list | None = None, output: str = "") -> None:
        calls = "".join(f"__declspec(dllimport) int of_{other}(void);\n" for other in needs or [])
        body = " + ".join([f"of_{other}()" for other in needs or []] + ["1"])
        cls.compile(output or name + ".dll", f"{calls}__declspec(dllexport) int of_{name}(void) {{ return {body}; }}\n",
                    "-shared", *[str(cls.made / f"{other}.dll") for other in needs or []])

    def setUp(self) -> None:
        super().setUp()
        self.tree = Path(tempfile.mkdtemp(prefix="case-", dir=self.drive))
        self.addCleanup(shutil.rmtree, self.tree, ignore_errors=True)
        (self.tree / "cwd").mkdir()

    def lay(self, source: str, *targets: str) -> None:
        for target in targets:
            place = self.tree / target
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.made / source, place)

    def lay_python(self, digits: str = "311") -> None:
        self.lay("load.exe", "py/python.exe")
        self.lay("cudnn64_9.dll", f"py/python{digits}.dll")
        (self.tree / "py/site/x-1.0.dist-info").mkdir(parents=True)

    def windows(self, path: str) -> str:
        return "C:\\" + str((self.tree / path).relative_to(self.drive)).replace("/", "\\")

    def real(self, name: str, words: list, path: list) -> str | None:
        """The file that wine's loader uses for `name`, in lower case, from its own trace; nothing if it fails."""
        for _ in range(2):  # wine itself fails about once in a thousand starts
            done = self.wine(*words, folder=self.tree / "cwd", WINEDEBUG="-all,+loaddll,+module",
                             WINEPATH=";".join(self.windows(entry) for entry in path))
            trace = done.stdout
            if "loaddll" in trace:
                break
        self.assertRegex(trace, "loaddll", trace[-3000:])
        if "failed " in trace or re.search(rf"Library {re.escape(name)} .*not found", trace):
            return None
        found = re.findall(r'Loaded L"([^"]*)"', trace)
        taken = [file.replace("\\\\", "\\").lower() for file in found if file.lower().endswith("\\" + name.lower())]
        self.assertEqual(len(taken), 1, trace[-3000:])
        return taken[0]

    def predicted(self, file: str, name: str, path: list, *more: str) -> tuple:
        entries = ";".join([*[self.windows(entry) for entry in path], WINDOWS_PATH])
        report = self.deps("--all", "--root", str(self.drive), "--env", f"PATH={entries}",
                           "--env", f"CD={self.windows('cwd')}", *more, self.windows(file))
        library = self.library(report, name)
        taken = library["taken"]
        return (taken.replace("/", "\\").lower() if taken else None), library

    def compare(self, file: str, words: list, expected: str | None, rule: str, name: str = "cublas64_12.dll",
                path: list | None = None, more: tuple = ()) -> dict:
        path = path or []
        real = self.real(name, words, path)
        taken, library = self.predicted(file, name, path, *more)
        self.assertEqual(real, self.windows(expected).lower() if expected else None, "wine")
        self.assertEqual(taken, real, json.dumps(library, indent=1))
        if expected:
            self.assertEqual(library["rule"], rule)
        return library

    def program(self, **what) -> dict:
        self.lay("program.exe", "app/program.exe")
        return self.compare("app/program.exe", [self.windows("app/program.exe")], **what)

    def call(self, flags: str, file: str, added: list | None = None, host: str = "py/python.exe", **what) -> dict:
        """`host` loads `file` by its full path."""
        words = [self.windows(host), flags, self.windows(file), *[self.windows(folder) for folder in added or []]]
        return self.compare(file, words, **what)

    def test_the_application_folder_comes_before_all(self) -> None:
        self.lay("cublas64_12.dll", "app/cublas64_12.dll", "cwd/cublas64_12.dll", "one/cublas64_12.dll")
        library = self.program(expected="app/cublas64_12.dll", rule="application folder", path=["one"])
        self.assertEqual([loser["rule"] for loser in library["losers"]], ["current folder", "PATH"])

    def test_system32_comes_before_the_current_folder_and_path(self) -> None:
        system = self.drive / "windows/system32/cublas64_12.dll"
        shutil.copy(self.made / "cublas64_12.dll", system)
        self.addCleanup(system.unlink)
        self.lay("cublas64_12.dll", "cwd/cublas64_12.dll", "one/cublas64_12.dll")
        self.lay("program.exe", "app/program.exe")
        real = self.real("cublas64_12.dll", [self.windows("app/program.exe")], ["one"])
        taken, library = self.predicted("app/program.exe", "cublas64_12.dll", ["one"])
        self.assertEqual(real, r"c:\windows\system32\cublas64_12.dll")
        self.assertEqual((taken, library["rule"]), (real, "System32"))

    def test_the_current_folder_comes_before_path(self) -> None:
        self.lay("cublas64_12.dll", "cwd/cublas64_12.dll", "one/cublas64_12.dll")
        self.program(expected="cwd/cublas64_12.dll", rule="current folder", path=["one"])

    def test_path_in_its_order(self) -> None:
        self.lay("cublas64_12.dll", "two/cublas64_12.dll", "one/CUBLAS64_12.DLL")
        self.program(expected="two/cublas64_12.dll", rule="PATH", path=["empty", "two", "one"])

    def test_missing(self) -> None:
        self.lay("cublas64_12.dll", "elsewhere/cublas64_12.dll")
        self.program(expected=None, rule="")

    def test_what_path_gives_finds_its_own_needs_through_path(self) -> None:
        self.lay("cublas-needing.dll", "one/cublas64_12.dll")
        self.lay("cublasLt64_12.dll", "two/cublasLt64_12.dll", "elsewhere/cublasLt64_12.dll")
        self.program(expected="two/cublasLt64_12.dll", rule="PATH", name="cublasLt64_12.dll", path=["one", "two"])

    def test_python_s_flags_take_the_module_s_folder_first(self) -> None:
        self.lay_python()
        self.lay("module.dll", "py/site/x/module.pyd")
        self.lay("cublas64_12.dll", "py/site/x/cublas64_12.dll", "py/cublas64_12.dll", "one/cublas64_12.dll")
        self.call(CPYTHON, "py/site/x/module.pyd", expected="py/site/x/cublas64_12.dll", rule="folder of module.pyd",
                  path=["one"])

    def test_python_s_flags_take_the_application_folder(self) -> None:
        self.lay_python()
        self.lay("module.dll", "py/site/x/module.pyd")
        self.lay("cublas64_12.dll", "py/cublas64_12.dll", "one/cublas64_12.dll", "cwd/cublas64_12.dll")
        self.call(CPYTHON, "py/site/x/module.pyd", expected="py/cublas64_12.dll", rule="application folder", path=["one"])

    def test_python_s_flags_leave_path_and_current_folder_out(self) -> None:
        self.lay_python()
        self.lay("module.dll", "py/site/x/module.pyd")
        self.lay("cublas64_12.dll", "one/cublas64_12.dll", "cwd/cublas64_12.dll")
        library = self.call(CPYTHON, "py/site/x/module.pyd", expected=None, rule="", path=["one"])
        self.assertEqual({loser["lost"] for loser in library["losers"]}, {"not-searched"})

    def test_python_s_flags_look_in_added_folders(self) -> None:
        self.lay_python()
        self.lay("module.dll", "py/site/torch/module.pyd")
        self.lay("cublas64_12.dll", "py/site/torch/lib/cublas64_12.dll", "one/cublas64_12.dll")
        words = [self.windows("py/python.exe"), CPYTHON, self.windows("py/site/torch/module.pyd"),
                 self.windows("py/site/torch/lib")]
        real = self.real("cublas64_12.dll", words, ["one"])
        taken, library = self.predicted("py/site/torch/module.pyd", "cublas64_12.dll", ["one"])
        self.assertEqual(real, self.windows("py/site/torch/lib/cublas64_12.dll").lower())
        self.assertEqual(taken, real, json.dumps(library))

    def test_the_needs_of_what_the_flags_found_are_looked_for_in_the_module_s_folder(self) -> None:
        self.lay_python()
        self.lay("module.dll", "py/site/x/module.pyd")
        self.lay("cublas-needing.dll", "py/cublas64_12.dll")
        self.lay("cublasLt64_12.dll", "py/cublasLt64_12.dll", "py/site/x/cublasLt64_12.dll")
        self.call(CPYTHON, "py/site/x/module.pyd", expected="py/site/x/cublasLt64_12.dll", rule="folder of module.pyd",
                  name="cublasLt64_12.dll")

    def test_older_python_looks_in_path(self) -> None:
        self.lay_python("37")
        self.lay("module.dll", "py/site/x/module.pyd")
        self.lay("cublas64_12.dll", "one/cublas64_12.dll", "py/cublas64_12.dll")
        self.call(ALTERED, "py/site/x/module.pyd", expected="one/cublas64_12.dll", rule="PATH", path=["one"])

    def test_a_dll_by_its_path_stands_for_the_application_folder(self) -> None:
        self.lay("load.exe", "app/load.exe")
        self.lay("plugin.dll", "plugins/plugin.dll")
        self.lay("cublas64_12.dll", "plugins/cublas64_12.dll", "one/cublas64_12.dll")
        self.call(ALTERED, "plugins/plugin.dll", host="app/load.exe", expected="plugins/cublas64_12.dll",
                  rule="folder of plugin.dll", path=["one"])

    def test_a_bare_load_looks_in_the_host_s_folder_first(self) -> None:
        self.lay("load.exe", "app/load.exe")
        self.lay("plugin.dll", "plugins/plugin.dll")
        self.lay("cublas64_12.dll", "plugins/cublas64_12.dll", "app/cublas64_12.dll", "one/cublas64_12.dll")
        self.call(BARE, "plugins/plugin.dll", host="app/load.exe", expected="app/cublas64_12.dll",
                  rule="application folder", path=["one"], more=("--host-exe", self.windows("app")))

    def test_the_first_dll_of_a_name_serves_all(self) -> None:
        # The program has cuBLAS already; the plugin's own copy next to it is not used.
        self.lay("plugin.dll", "app/plugin.dll")
        source = ("#include <windows.h>\n__declspec(dllimport) int of_cublas64_12(void); __declspec(dllimport) int of_plugin(void);"
                  "int main(void){return of_cublas64_12() + of_plugin();}")
        self.compile("both.exe", source, str(self.made / "cublas64_12.dll"), str(self.made / "plugin.dll"))
        self.lay("both.exe", "app/both.exe")
        self.lay("cublas64_12.dll", "one/cublas64_12.dll", "two/cublas64_12.dll")
        self.compare("app/both.exe", [self.windows("app/both.exe")], "one/cublas64_12.dll", "PATH", path=["one", "two"])

    def test_a_dll_for_another_machine_is_passed_over(self) -> None:
        self.lay("cublas64_12.dll", "one/cublas64_12.dll", "two/cublas64_12.dll")
        self.make_32_bit(self.tree / "one/cublas64_12.dll")
        library = self.program(expected="two/cublas64_12.dll", rule="PATH", path=["one", "two"])
        self.assertEqual([loser["lost"] for loser in library["losers"]], ["other-machine"])

    def test_a_dll_for_another_machine_alone_does_not_load(self) -> None:
        self.lay("cublas64_12.dll", "one/cublas64_12.dll")
        self.make_32_bit(self.tree / "one/cublas64_12.dll")
        library = self.program(expected=None, rule="", path=["one"])
        self.assertEqual([loser["lost"] for loser in library["losers"]], ["other-machine"])

    def make_32_bit(self, file: Path) -> None:
        clang, link = shutil.which("clang"), shutil.which("lld-link")
        if not clang or not link:
            self.skipTest("needs clang and lld-link for a 32-bit DLL")
        source = self.folder / "x86.c"
        source.write_text("int of_cublas64_12(void) { return 1; }\n")
        subprocess.run([clang, "--target=i686-pc-windows-msvc", "-c", str(source), "-o", str(source) + ".obj"], check=True)
        subprocess.run([link, "/dll", "/noentry", "/safeseh:no", "/export:of_cublas64_12", f"/out:{file}", str(source) + ".obj"],
                       check=True, capture_output=True)

    def test_a_known_dll_comes_from_system32(self) -> None:
        self.lay("cublas64_12.dll", "app/user32.dll", "app/cublas64_12.dll")
        source = ("#include <windows.h>\n__declspec(dllimport) int of_cublas64_12(void);"
                  "int main(void){return of_cublas64_12() + (int)GetSystemMetrics(0);}")
        self.compile("known.exe", source, str(self.made / "cublas64_12.dll"), "-luser32")
        self.lay("known.exe", "app/known.exe")
        taken, library = self.predicted("app/known.exe", "user32.dll", [])
        self.assertEqual((taken, library["rule"]), (r"c:\windows\system32\user32.dll", "known DLL"))


if __name__ == "__main__":
    unittest.main()
