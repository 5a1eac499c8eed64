#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tools/ptxguard/facts/pypi_names.json: names in recipes that PyPI does not have, or that install nothing.

    package_names.py NAMES [--facts DIR] [--read DATE]

NAMES is a list of the packages on PyPI, one a line: the name, then behind a tab its newest version. The families (names that end
with a CUDA release) come from it; the names below that it lists are dropped, as PyPI has them. Exit status: 0 written, 2 wrong usage.
"""
from __future__ import annotations

import argparse
import datetime
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Packages with one name for each CUDA: the start of the name, what to use for another CUDA.
FAMILIES = {
    "bitsandbytes-cuda": "bitsandbytes, which contains the builds for all CUDA releases",
    "cumm-cu": "one of these",
    "cupy-cuda": "cupy-cuda11x (CUDA 11.2 to 11.8), cupy-cuda12x or cupy-cuda13x",
    "dgl-cu": "the wheels at https://data.dgl.ai/wheels/",
    "jax-cuda": "jax[cuda12] or jax[cuda13]",
    "mxnet-cu": "one of these",
    "spconv-cu": "one of these; a wheel for another release of the same major works",
    "tensorrt-cu": "one of these",
}
# Names of conda, apt or repositories, and names that users derive from others.
CONDA = "a package of conda; pip's packages bring the libraries of CUDA themselves"
ABSENT = {
    **dict.fromkeys("cuda-libraries cuda-nvcc cuda-runtime cuda-version cudatoolkit cudatoolkit-dev cuda-cudart cuda-cupti "
                    "cuda-compiler cuda-nvrtc cuda-nvtx libcublas pytorch-mutex".split(), CONDA),
    "cuda": CONDA, "cpuonly": "--index-url https://download.pytorch.org/whl/cpu",
    "cudnn": "nvidia-cudnn-cu12", "libcudnn": "nvidia-cudnn-cu12", "nccl": "nvidia-nccl-cu12", "cublas": "nvidia-cublas-cu12",
    "nvcc": "nvidia-cuda-nvcc", "nvidia-nvcc": "nvidia-cuda-nvcc", "nvidia-cuda-toolkit": "cuda-toolkit", "nvidia-cuda": "cuda-toolkit",
    "pytorch-cuda": "torch with --index-url https://download.pytorch.org/whl/cuNNN", "pytorch-gpu": "torch", "torch-gpu": "torch",
    "torch-cuda": "torch", "torch-cu118": "torch with --index-url https://download.pytorch.org/whl/cu118",
    "torch-cu121": "torch with --index-url https://download.pytorch.org/whl/cu121",
    "pytorch-nightly": "torch with --pre and --index-url https://download.pytorch.org/whl/nightly/cuNNN",
    "torch-nightly": "torch with --pre and --index-url https://download.pytorch.org/whl/nightly/cuNNN",
    "pytorch-scatter": "torch-scatter", "pytorch-sparse": "torch-sparse", "pytorch-cluster": "torch-cluster",
    "keras-gpu": "keras", "tensorflow-cuda": "tensorflow[and-cuda]", "jaxlib-cuda": "jax[cuda12]", "jax-cuda": "jax[cuda12]",
    "jax-cuda12": "jax[cuda12]", "jaxlib-cuda12": "jax[cuda12]", "onnxruntime-cuda": "onnxruntime-gpu",
    "mxnet-cuda": "mxnet-cu112", "paddlepaddle-cuda": "paddlepaddle-gpu", "bitsandbytes-gpu": "bitsandbytes",
    "cupy-cuda": "cupy-cuda12x", "flash-attn-cuda": "flash-attn", "xformers-cuda": "xformers", "vllm-cuda": "vllm",
    "llama-cpp-python-cuda": "llama-cpp-python with CMAKE_ARGS=-DGGML_CUDA=on",
    "xgboost-gpu": "xgboost", "lightgbm-gpu": "lightgbm", "opencv-python-gpu": "a build of OpenCV with CUDA",
    "opencv-python-cuda": "a build of OpenCV with CUDA", "opencv-gpu": "a build of OpenCV with CUDA",
    "detectron2": "git+https://github.com/facebookresearch/detectron2", "nvidia-apex": "git+https://github.com/NVIDIA/apex",
    "apex-cuda": "git+https://github.com/NVIDIA/apex", "tinycudann": "git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch",
    "tiny-cuda-nn": "git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch",
    "nvdiffrast": "git+https://github.com/NVlabs/nvdiffrast", "torchsparse": "git+https://github.com/mit-han-lab/torchsparse",
    "torch2trt": "git+https://github.com/NVIDIA-AI-IOT/torch2trt", "pyg-lib": "the wheels at https://data.pyg.org/whl/",
}
# Packages whose installation ends with an error: of these releases (empty = all) a source archive that raises, or that
# builds nothing outside of NVIDIA's index.
PLACEHOLDERS = {
    "pytorch": ("", "torch"), "tensorflow-gpu": ("2.12.0", "tensorflow, or tensorflow[and-cuda]"), "tf-nightly-gpu": ("2.12.0", "tf-nightly"),
    "cudf": ("", "cudf-cu12 or cudf-cu13"), "cuml": ("", "cuml-cu12 or cuml-cu13"), "cugraph": ("", "cugraph-cu12 or cugraph-cu13"),
    "nvidia-tensorrt": ("", "tensorrt"), "nvidia-cudnn": ("", "nvidia-cudnn-cu12 or nvidia-cudnn-cu13"),
    "nvidia-nccl": ("", "nvidia-nccl-cu12 or nvidia-nccl-cu13"), "nvidia-dali": ("", "nvidia-dali-cuda120 or nvidia-dali-cuda130"),
}
PLACEHOLDER_VERSIONS = ("0.0.1.dev5", "0.0.1")
# PyPI has the name, for another project than the one that recipes for GPUs mean.
OTHERS = {"apex": "git+https://github.com/NVIDIA/apex"}


def instead_of(name: str, versions: dict[str, str]) -> str:
    """nvidia-cublas-cu13: the name without the number is CUDA 13's; nvidia-cublas-cu115: -cu11."""
    head, _, number = name.rpartition("-cu")
    if number == "13" and head in versions:
        return head
    short = f"{head}-cu{number[:2]}"
    return short if short != name and versions.get(short) not in (None, *PLACEHOLDER_VERSIONS) else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", type=Path)
    parser.add_argument("--facts", type=Path, default=ROOT / "tools/ptxguard/facts")
    parser.add_argument("--read", default=datetime.date.today().isoformat(), help="the day of the list")
    arguments = parser.parse_args()
    versions = {}
    for line in arguments.names.read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition("\t")
        versions[name] = rest.split("\t")[0]
    families = []
    for start, instead in FAMILIES.items():
        ends = sorted(name[len(start):] for name in versions if re.fullmatch(re.escape(start) + r"\d+[a-z]*(-[a-z]+)?", name))
        families.append({"start": start, "ends": ends, "instead": instead, "source": "m-names"})
    absent = [{"name": name, "instead": instead, "source": "m-names"} for name, instead in sorted(ABSENT.items()) if name not in versions]
    placeholders = [{"name": name, **({"from": first} if first else {}), "instead": instead, "source": "m-names"}
                    for name, (first, instead) in sorted(PLACEHOLDERS.items())]
    for name in sorted(versions):
        if re.fullmatch(r"nvidia-[a-z0-9-]+-cu\d+", name) and versions[name] in PLACEHOLDER_VERSIONS:
            placeholders.append({"name": name, "instead": instead_of(name, versions), "source": "m-names"})
    others = [{"name": name, "instead": instead, "source": "m-names"} for name, instead in OTHERS.items()]
    tables = {"families": families, "absent": absent, "placeholders": placeholders, "others": others}
    source = {"id": "m-names", "kind": "measured", "what": f"the list of PyPI's packages and their newest versions, {arguments.read}"}
    about = ("Names that recipes install with pip and that install nothing. families: all names that begin so exist with these ends. "
             "absent: PyPI has no such name. placeholders: the installation ends with an error, from that release on. others: the "
             "name of another project. Written by tools/dev/package_names.py.")
    lines = ["{", f'  "about": {json.dumps(about)},']
    for key, rows in tables.items():
        lines.append(f'  "{key}": [')
        lines.append(",\n".join("    " + json.dumps(row) for row in rows))
        lines.append("  ],")
    lines.append(f'  "sources": [{json.dumps(source)}]')
    (arguments.facts / "pypi_names.json").write_text("\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
