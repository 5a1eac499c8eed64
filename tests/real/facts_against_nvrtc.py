#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the rows of tools/ptxguard/facts/lto_ir.json with what real NVRTC libraries write and real nvJitLink libraries link.

    facts_against_nvrtc.py FACTS_DIR LIBRARY|FOLDER...

For each libnvrtc: the versions in the first bytes of its LTO-IR are those of its release's row. For each pair of a
libnvrtc and a libnvJitLink: it links what is not newer than itself, and refuses the rest. Each library runs in its own
process. Exit status:
0 all agree, 1 some row is wrong, 2 wrong usage, 77 nothing could be compared (no libnvrtc that compiles).
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
TIME_LIMIT_S = 120

# argv: libnvrtc, a file to write. Prints "12.9".
COMPILE = """
import ctypes, pathlib, sys
for builtins in sorted(pathlib.Path(sys.argv[1]).parent.glob("libnvrtc-builtins.so*[0-9]")):
    ctypes.CDLL(str(builtins))
nvrtc = ctypes.CDLL(sys.argv[1])
major, minor, program, size = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p(), ctypes.c_size_t()
def call(name, *arguments):
    status = getattr(nvrtc, name)(*arguments)
    if status:
        sys.exit(f"{name} returns {status}")
call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
source = b"extern __device__ float f(float); extern \\"C\\" __global__ void k(float *x) { *x = f(*x) + 1; }"
call("nvrtcCreateProgram", ctypes.byref(program), source, b"k.cu", 0, None, None)
options = (ctypes.c_char_p * 2)(b"-dlto", b"-arch=compute_80")
call("nvrtcCompileProgram", program, 2, options)
call("nvrtcGetLTOIRSize", program, ctypes.byref(size))
code = ctypes.create_string_buffer(size.value)
call("nvrtcGetLTOIR", program, code)
pathlib.Path(sys.argv[2]).write_bytes(code.raw)
print(f"{major.value}.{minor.value}")
"""

# argv: libnvJitLink, files of LTO-IR. Prints its release, then for each file whether it is accepted. The first
# libraries have no function that returns the release, but one nvJitLinkCreate for each release that they support.
LINK = """
import ctypes, pathlib, sys
link = ctypes.CDLL(sys.argv[1])
names = [f"{a}_{b}" for a in (12, 13) for b in range(10) if hasattr(link, f"__nvJitLinkCreate_{a}_{b}")]
newest = max(names, key=lambda name: tuple(map(int, name.split("_"))))
major, minor = ctypes.c_uint(), ctypes.c_uint()
version = getattr(link, "nvJitLinkVersion", None) or getattr(link, f"__nvJitLinkVersion_{newest}", None)
if version and not version(ctypes.byref(major), ctypes.byref(minor)):
    newest = f"{major.value}_{minor.value}"
print(newest.replace("_", "."))
function = lambda name: getattr(link, f"__nvJitLink{name}_{names[-1]}", None) or getattr(link, f"nvJitLink{name}")
for file in sys.argv[2:]:
    data = pathlib.Path(file).read_bytes()
    handle = ctypes.c_void_p()
    options = (ctypes.c_char_p * 2)(b"-lto", b"-arch=sm_80")
    if function("Create")(ctypes.byref(handle), 2, options):
        sys.exit("nvJitLinkCreate fails")
    print("accepted" if function("AddData")(handle, 3, data, len(data), b"k") == 0 else "refused", flush=True)
"""


def release(text):
    return tuple(map(int, text.split(".")))


def run(script, *arguments):
    """The lines that it prints; None: it does not run here."""
    try:
        done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        print(f"{arguments[0]}: {(done.stderr or 'crashes').strip().splitlines()[-1]}")
        return None
    return done.stdout.split()


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    rows = {row["release"]: row for row in json.loads((pathlib.Path(arguments[0]) / "lto_ir.json").read_text())["rows"]}
    libraries = []
    for place in map(pathlib.Path, arguments[1:]):
        libraries += sorted(place.rglob("lib*.so.*[0-9]")) if place.is_dir() else [place]
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        written = {}
        for library in (one for one in libraries if one.name.startswith("libnvrtc.so")):
            file = pathlib.Path(folder, f"{len(written)}.ltoir")
            lines = run(COMPILE, library, file)
            if not lines:
                continue
            head, row = file.read_bytes()[:8], rows.get(lines[0])
            written[file] = lines[0]
            found = {"container": f"{head[4]}.{head[5]}", "ir": f"{head[6]}.{head[7]}"}
            listed = row and {name: row[name] for name in found}
            compared += 1
            if found != listed:
                wrong += 1
                print(f"NVRTC {lines[0]} writes {head.hex()}: {found}, the table has {listed}")
        for library in (one for one in libraries if one.name.startswith("libnvJitLink.so")):
            lines = run(LINK, library, *written)
            for of, answer in zip(written.values(), (lines or [])[1:]):
                compared += 1
                expected = "accepted" if release(of) <= release(lines[0]) else "refused"
                if answer != expected:
                    wrong += 1
                    print(f"nvJitLink {lines[0]}: LTO-IR of {of} is {answer}, expected {expected}")
    print(f"{len(written)} NVRTC libraries, {compared} values and pairs compared, {wrong} differ")
    return SKIPPED if not written else int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
