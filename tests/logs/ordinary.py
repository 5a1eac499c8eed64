#!/usr/bin/env python3
# Logs of ordinary work, made here by real compilers, CMake, make, Python, pip and shells, with --nvcc also by nvcc: builds and failures
# that no CUDA toolchain causes. `ptxguard explain` must diagnose none of them. Prints each that it does, and how many there were.
#
#   python3 tests/logs/ordinary.py --ptxguard build/bin/ptxguard [--nvcc TOOLKIT/bin/nvcc]
# SPDX-License-Identifier: Apache-2.0
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCES = {  # name: text
    "good": "#include <vector>\nint main() { std::vector<int> v(3); return (int)v.size() - 3; }\n",
    "unused": "int main() { int x; int y = 3; (void)0; return 0; }\n",
    "signs": "#include <vector>\nint main() { std::vector<int> v; for (int i = 0; i < v.size(); ++i) {} }\n",
    "deprecated": "[[deprecated(\"use g\")]] int f();\nint main() { return f(); }\n",
    "header": "#include <Eigen/Dense>\nint main() {}\n",
    "own_header": "#include \"project/config.h\"\nint main() {}\n",
    "undeclared": "int main() { return foo(1) + bar; }\n",
    "member": "struct S { int a; };\nint main() { S s; return s.b; }\n",
    "types": "#include <string>\nint main() { std::string s = 3.5; int* p = s; }\n",
    "template": "#include <map>\n#include <string>\nint main() { std::map<std::string, int> m; m[4]->x(); }\n",
    "syntax": "int main( { return 0;\n",
    "static_assert": "static_assert(sizeof(int) == 3, \"int has three bytes\");\nint main() {}\n",
    "link": "int gone(int);\nint main() { return gone(2); }\n",
    "narrow": "int main() { char c{1000}; return c; }\n",
    "printf": "#include <cstdio>\nint main() { std::printf(\"%s %d\", 3, \"x\"); }\n",
    "error_directive": "#error this platform is not supported\nint main() {}\n",
    "concept": "template <class T> concept C = requires(T t) { t.x(); };\nint main() { static_assert(C<int>); }\n",
    "span": "#include <span>\nint main() { int a[3]; std::span<int> s(a); return (int)s.size(); }\n",
    "override": "struct A { virtual void f(); };\nstruct B : A { void f(int) override; };\nint main() {}\n",
    "loop": "int main() { int a[2]; for (int i = 0; i < 9; ++i) a[i] = i; return a[1]; }\n",
}
FLAGS = (["-std=c++17", "-Wall", "-Wextra"], ["-std=c++11", "-O2", "-Wall"], ["-std=c++20", "-O1", "-lnosuchlibrary"], ["-std=c++14", "-Weverything", "-c"])
CMAKE = [
    "find_package(Threads REQUIRED)", "find_package(NoSuchPackage)", "find_package(NoSuchPackage REQUIRED)", "find_package(ZLIB 99 REQUIRED)",
    "include(CheckIncludeFile)\ncheck_include_file(sys/nosuch.h HAVE_IT)", "include(CheckFunctionExists)\ncheck_function_exists(nosuch HAVE_IT)",
    "message(WARNING \"an option is deprecated\")", "message(FATAL_ERROR \"the submodules are missing\")", "add_executable(x nosuch.cpp)",
    "add_subdirectory(third_party)", "target_link_libraries(nosuch m)", "include(NoSuchModule)", "cmake_policy(SET CMP9999 NEW)",
    "find_program(TOOL nosuchprogram REQUIRED)", "find_library(LIB nosuch REQUIRED)", "if(\nmessage(x)", "set_target_properties(x PROPERTIES A)",
    "execute_process(COMMAND nosuchprogram COMMAND_ERROR_IS_FATAL ANY)", "find_package(OpenMP)", "message(STATUS \"GPU support: OFF\")",
]
PYTHON = [
    "import nosuchmodule", "from json import nosuch", "{}['key']", "[][3]", "1/0", "open('/nosuch/file')", "open('/etc', 'w')", "int('ten')",
    "import ctypes; ctypes.CDLL('libnosuch.so.3')", "import json; json.loads('{')", "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
    "raise MemoryError", "raise NotImplementedError('later')", "assert 1 == 2, 'not equal'", "import sys; sys.exit('no input file')", "None.shape",
    "import subprocess; subprocess.run(['false'], check=True)", "import subprocess; subprocess.run(['nosuchprogram'])", "def f(): f()\nf()",
    "import warnings; warnings.warn('old function', DeprecationWarning)", "import logging; logging.error('step 3 failed: no data')", "x = y",
    "import unittest\nclass T(unittest.TestCase):\n def test_a(self): self.assertEqual(1, 2)\nunittest.main()", "print('loss: nan')", "'a' + 1",
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')", "import threading; threading.Thread(target=lambda: 1/0).start()",
    "import importlib.metadata as m; m.version('nosuchpackage')", "import zipfile; zipfile.ZipFile('/etc/passwd')", "lambda: (yield\n",
]
PIP = [
    ["install", "--no-index", "nosuchpackage"], ["install", "--no-index", "numpy==99.0"], ["install", "--no-index", "-r", "nosuch.txt"],
    ["install", "--no-index", "./nosuch-1.0-py3-none-any.whl"], ["install", "--no-index", "requests>=1,<0"], ["check"], ["list"], ["show", "nosuchpackage"],
    ["download", "--no-index", "flask"], ["uninstall", "-y", "nosuchpackage"], ["install", "--nosuchoption"], ["config", "list"], ["--version"],
    ["install", "--no-index", "lxml", "pillow==1.0"], ["wheel", "--no-index", "psycopg2"], ["install", "--no-index", "--target", "/proc/x", "six"],
]
SHELL = [
    "nosuchprogram --version", "cat /nosuch", "/etc/passwd", "cd /nosuch", "tar xf /etc/passwd", "gzip -d /etc/passwd", "git -C / status", "git clone /nosuch",
    "ls /nosuch", "make -f /nosuch", "printf 'all:\\n\\tfalse\\n' | make -f -", "printf 'all: nosuch.o\\n' | make -f -", "rm /nosuch", "mkdir /proc/x", "kill -0 99999999",
    "exit 3", "df -h", "uname -a; free -m", "env | head -5; echo done", "sleep 0; time true", "sort /nosuch | uniq -c", "sh -c 'kill -SEGV $$'", "unzip /etc/passwd",
    "printf 'x: y\\ny: x\\n' | make -f -", "dpkg -s nosuchpackage", "dpkg -l | head -40", "apt-cache policy nosuchpackage", "ld -lnosuchlibrary", "ar x /etc/passwd",
    "objdump -d /etc/passwd", "strip /etc/passwd", "gcc --version; ld --version", "cmake --version; ninja --version", "python3 --version; pip --version",
]
KERNELS = [f"__global__ void k{i}({kind}* x) {{ {line} x[threadIdx.x] += {i}; }}\n" for i, (kind, line) in enumerate(itertools.product(
    ("float", "double", "int"), ("", "int unused;", "__syncthreads();", "if (x) {}", "for (;;) break;", "const int n = 4; (void)n;")))]


def output(command, folder, text=None):
    try:
        done = subprocess.run(command, cwd=folder, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=120)
    except OSError as error:
        return str(error)
    return done.stdout


def logs(folder, nvcc):
    for (name, text), flags in itertools.product(SOURCES.items(), FLAGS):
        (folder / "x.cpp").write_text(text)
        yield f"g++ {name} {flags[0]}", output(["g++", "x.cpp", "-o", "x", *flags], folder)
    for lines in CMAKE:
        project = folder / "project"
        project.mkdir(exist_ok=True)
        (project / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.20)\nproject(x LANGUAGES CXX)\n{lines}\n")
        yield f"cmake {lines[:40]!r}", output(["cmake", "-S", "project", "-B", "build", "--fresh"], folder)
    for code in PYTHON:
        yield f"python {code[:40]!r}", output([sys.executable, "-W", "default", "-c", code], folder)
    for words in PIP:
        yield f"pip {' '.join(words)}", output([sys.executable, "-m", "pip", "--disable-pip-version-check", *words], folder)
    for line in SHELL:
        yield f"sh {line!r}", output(["sh", "-c", line], folder)
    for text in KERNELS if nvcc else ():
        (folder / "x.cu").write_text(text)
        yield f"nvcc {text[:40]!r}", output([nvcc, "-c", "x.cu", "-o", "x.o", "-Wno-deprecated-gpu-targets"], folder)
        yield f"nvcc -dryrun {text[:40]!r}", output([nvcc, "-dryrun", "-c", "x.cu", "-o", "x.o", "-Xptxas", "-v"], folder)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ptxguard", required=True)
    options.add_argument("--nvcc")
    given = options.parse_args()
    ptxguard = str(pathlib.Path(given.ptxguard).resolve())
    count = alarms = doubts = 0
    with tempfile.TemporaryDirectory() as name:
        for title, text in logs(pathlib.Path(name), given.nvcc):
            count += 1
            report = json.loads(output([ptxguard, "explain", "--isolated", "--format", "json", "-"], name, text))
            for one in report.get("diagnoses", []):
                alarms += one["confidence"] != "possible"
                doubts += one["confidence"] == "possible"
                print(f"{title}: {one['code']} {one['confidence']}: {one['cause']}: {one['matched'][0]['text'] if one['matched'] else ''}")
    print(f"{count} logs: {alarms} diagnoses, {doubts} more that are only possible")
    sys.exit(alarms > 0)


if __name__ == "__main__":
    main()
