# Programs that tests run are installed by `tools/dev/install.sh --tests`, or searched with shutil.which (the test then
# skips).
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
OF_DEBIAN = {"bash", "cp", "ldconfig", "ldd", "sh"}  # on every machine
OF_PACKAGE = {"cmake": {"cmake"}, "g++": {"cc", "g++", "gcc", "readelf"}, "git": {"git"}, "make": {"make"}, "python3": {"python3"}}


def programs(text: str) -> set:
    """Programs that subprocess.run(["NAME", ...]) and -ccbin name, without those looked up with shutil.which."""
    run, sought = set(re.findall(r"-ccbin[ =]([\w+.-]+)", text)), set()
    for call in ast.walk(ast.parse(text)):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
            continue
        owner = getattr(call.func.value, "id", "")
        word = (getattr(call.args[0], "elts", None) or call.args)[0]
        if not isinstance(word, ast.Constant):
            continue
        if owner == "subprocess":
            run.add(Path(word.value).name)
        elif owner == "shutil" and call.func.attr == "which":
            sought.add(word.value)
    return run - sought


class Programs(unittest.TestCase):
    def test_what_tests_run_is_installed(self) -> None:
        script = (SOURCE / "tools/dev/install.sh").read_text(encoding="utf-8")
        packages = " ".join(re.findall(r'programs="([^"]*)"', script)).split()
        installed = OF_DEBIAN.union(*(OF_PACKAGE.get(package, set()) for package in packages))
        for file in sorted({*(SOURCE / "tests").rglob("*.py")} - {Path(__file__).resolve()}):
            with self.subTest(file=str(file.relative_to(SOURCE))):
                self.assertEqual(programs(file.read_text(encoding="utf-8")) - installed, set())

    def test_reads_calls(self) -> None:
        text = 'subprocess.run(["/sbin/a", "x"]); shutil.which("b"); subprocess.Popen(["b"]); f("-ccbin clang++")'
        self.assertEqual(programs(text), {"a", "clang++"})


if __name__ == "__main__":
    unittest.main()
