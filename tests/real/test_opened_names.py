# The names that libraries open, from their own strings, against the rows of facts/loading.json.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import part

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/dev"))
import opened_names  # noqa: E402

# What no row names, and why no row should: cuDNN's parts open these only where the process has not loaded them, and the
# program that uses cuDNN has; NCCL's is a plugin that few machines have.
KNOWN = {"libnvrtc.so", "libnvrtc.so.%d", "libcublasLt.so.12", "libcublasLt.so.13", "libnccl-net.so"}


class OpenedNames(unittest.TestCase):
    def test_every_name_in_the_strings_of_an_opener_is_in_a_row(self) -> None:
        for name in ("nvrtc-12.9", "nvrtc-13.5", "cudnn-9.19-graph"):
            for path in sorted(part(name).rglob("lib*.so.*")):
                with self.subTest(path=path.name):
                    unlisted = {one for one, how in opened_names.judge(path).items() if how == "NOT LISTED"}
                    self.assertEqual(unlisted - KNOWN, set())

    def test_the_rows_of_an_opener_name_what_is_in_its_strings(self) -> None:
        graph = next(part("cudnn-9.19-graph").rglob("libcudnn_graph.so.9"))
        named = {opened_names.library_of(name) for name in opened_names.names_in(graph)}
        for library in opened_names.listed_for("cudnn_graph", "9") - {"cudnn_engines_tensor_ir"}:  # from 9.20
            self.assertIn(library, named)

    @unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
    def test_a_name_that_no_row_has(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            needed, opener = Path(folder) / "libcublas.so.12", Path(folder) / "libcudnn_ops.so.9"
            subprocess.run(["gcc", "-x", "c", "-", "-shared", "-o", needed, f"-Wl,-soname,{needed.name}"], input="int f(){return 0;}", text=True, check=True)
            subprocess.run(["gcc", "-x", "c", "-", "-x", "none", "-shared", "-fPIC", "-o", opener, needed],
                           input='int f();const char*n[]={"libcusolver.so.11","libcuda.so.1"};int g(){return f();}', text=True, check=True)
            self.assertEqual(opened_names.judge(opener), {"libcublas.so.12": "needed", "libcuda.so.1": "driver", "libcusolver.so.11": "NOT LISTED"})


if __name__ == "__main__":
    unittest.main()
