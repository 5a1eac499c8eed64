# What is fetched and run is named by what it contains (a commit, a SHA-256), and CI steps run nothing of the checkout.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
COMMIT, SHA256 = r"\b[0-9a-f]{40}\b", r"\b[0-9a-f]{64}\b"
SKIPPED = {".git", "build", "tests", "facts"}
# GIT_TAG and URL of one call are within its brackets; none of these calls has brackets in its arguments.
CALL = re.compile(r"(?:FetchContent_Declare|ExternalProject_Add|CPMAddPackage|_ptxguard_\w+|file)\s*\([^()]*\)", re.I)


def complaints(name: str, text: str) -> list[str]:
    found = []
    if name.endswith((".yml", ".yaml", ".md")):
        for used in re.findall(r"(?m)^\s*(?:- )?uses:\s*[\"']?([^\s\"'#]+)", text):
            if not used.startswith("./") and not re.search(f"@(?:{COMMIT}|COMMIT$)", used):
                found.append(f"{name}: uses: {used}: no commit")
    if name.endswith(("CMakeLists.txt", ".cmake")):
        for call in CALL.findall(re.sub(r"(?m)#.*$", "", text)):
            repository, download = "GIT_REPOSITORY" in call, re.search(r"https?://", call)
            if repository and not re.search(r"GIT_TAG\s+[\"']?" + COMMIT, call):
                found.append(f"{name}: {call.split()[0]}: no commit")
            elif not repository and download and not re.search(SHA256, call):
                found.append(f"{name}: {call.split()[0]}: no SHA-256")
        if re.search(r"TLS_VERIFY\W+(?:OFF|0|FALSE|NO)\b", text, re.I):
            found.append(f"{name}: TLS is not verified")
    if re.search(r"(?m)^[^#\n]*\b(?:curl|wget)\s+(?:-\S+\s+)*[\"']?https?:", text):
        found.append(f"{name}: a download that nothing checks")
    if "templates/ci/" in name or name.endswith("action.yml"):
        found += [f"{name}: {line.strip()}: Python may import from the checkout"
                  for line in text.splitlines() if re.search(r"\s-m (?:venv|pip|ensurepip)\b", line) and " -I -m " not in line]
        found += [f"{name}: {line.strip()}: a program of the checkout"
                  for line in text.splitlines() if re.search(r"(?:^|[\s'\"=])\.(?:/[\w.-]|[\w-]+/bin/)", line)
                  and not line.lstrip().startswith(("#", "- uses: ./", "//"))]
    return found


def files() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*") if path.is_file() and not SKIPPED & set(path.relative_to(ROOT).parts)
                  and (path.suffix in (".yml", ".yaml", ".md", ".cmake", ".sh", ".py", ".toml", ".txt")
                       or path.name in ("Dockerfile", "Jenkinsfile")))


class Pinned(unittest.TestCase):
    def test_everything_is_pinned(self) -> None:
        names = [path.relative_to(ROOT).as_posix() for path in files()]
        for name in ("templates/ci/github.yml", "templates/ci/step.sh", ".github/workflows/ci.yml", "cmake/Dependencies.cmake",
                     "CMakeLists.txt", "README.md", "docs/ci.md", "action.yml", "tools/dev/install.sh"):
            self.assertIn(name, names)
        found = [one for name in names for one in complaints(name, (ROOT / name).read_text(encoding="utf-8", errors="replace"))]
        self.assertEqual(found, [])

    def test_dependencies_are_seen(self) -> None:
        text = (ROOT / "cmake/Dependencies.cmake").read_text(encoding="utf-8")
        self.assertEqual(len(re.findall(r"github\.com/", text)), 8)
        self.assertRegex(text, r"set\(CMAKE_TLS_VERIFY ON\)")
        for changed, to in ((COMMIT, "v1.0"), (SHA256, "")):
            for match in re.finditer(changed, text):
                damaged = text[:match.start()] + to + text[match.end():]
                self.assertEqual(len(complaints("cmake/Dependencies.cmake", damaged)), 1, match.group())

    def test_what_is_not_pinned_is_found(self) -> None:
        for name, text in (
                ("x.yml", "    - uses: actions/checkout@v4\n"), ("docs/x.md", "  - uses: a/b@main\n"), ("x.yaml", "uses: \"a/b\"\n"),
                ("x.yml", "- uses: a/b@" + "a" * 39 + "\n"),
                ("x.cmake", "FetchContent_Declare(a URL https://x.org/a.tgz)"),
                ("x.cmake", "FetchContent_Declare(a GIT_REPOSITORY https://x.org/a GIT_TAG v1 # " + "a" * 40 + "\n)"),
                ("CMakeLists.txt", "file(DOWNLOAD https://x.org/a a)"), ("x.cmake", "set(CMAKE_TLS_VERIFY OFF)"),
                ("x.cmake", "file(DOWNLOAD ${url} a TLS_VERIFY OFF)"), ("x.sh", "curl -fsSL https://x.org/i.sh | sh\n"),
                ("templates/ci/x.sh", "python3 -m venv \"$folder\"\n"), ("action.yml", "  \"$PYTHON\" -m pip install x\n"),
                ("templates/ci/x.yml", "  - .ptxguard/bin/ptxguard check\n"), ("templates/ci/x.sh", "sh ./tool.sh\n")):
            self.assertEqual(len(complaints(name, text)), 1, text)

    def test_what_is_pinned_is_not(self) -> None:
        for name, text in (
                ("x.yml", "- uses: a/b@" + "a" * 40 + "  # v1\n"), ("x.yml", "- uses: ./\n"), ("x.yml", "- uses: O/P@COMMIT\n"),
                ("x.cmake", "FetchContent_Declare(a URL https://x.org/a.tgz URL_HASH SHA256=" + "b" * 64 + ")"),
                ("x.cmake", "# FetchContent_Declare(a URL https://x.org/a.tgz)\n"), ("x.cmake", "file(READ a b)"),
                ("templates/ci/x.sh", "python3 -I -m venv \"$folder\"\n\"$folder/bin/ptxguard\" check\n")):
            self.assertEqual(complaints(name, text), [])

    # With a python3 that makes the folder of a virtual environment, as the real one does, from nothing.
    def test_the_plain_step_runs_nothing_of_the_checkout(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tools, checkout = folder / "tools", folder / "checkout"
            made = "#!/bin/sh\necho ours: $*\n"
            scripts = {tools / "python3": "#!/bin/sh\ntest \"$1 $2 $3\" = '-I -m venv' || exit 9\nmkdir -p \"$4/bin\"\n" + "".join(
                           f"cat >\"$4/bin/{tool}\" <<'END'\n{made}END\nchmod 755 \"$4/bin/{tool}\"\n" for tool in ("python", "ptxguard")),
                       checkout / ".ptxguard/bin/ptxguard": "#!/bin/sh\necho theirs\n", checkout / "python3": "#!/bin/sh\necho theirs\n"}
            for path, text in scripts.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                path.chmod(0o755)
            (folder / "tmp").mkdir()
            ran = subprocess.run(["sh", ROOT / "templates/ci/step.sh", "--build"], cwd=checkout, capture_output=True, text=True, check=True,
                                 env={"PATH": f"{tools}:/usr/bin:/bin", "PTXGUARD_WHEEL": "w.whl", "TMPDIR": str(folder / "tmp")})
            self.assertEqual(ran.stdout, "ours: -I -m pip install --quiet w.whl\nours: check --build\n")
            self.assertEqual(list((folder / "tmp").iterdir()), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
