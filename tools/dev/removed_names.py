#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tools/ptxguard/facts/removed_names.json: the names that releases of CUDA and cuDNN were the last to declare.

    removed_names.py [--facts DIR] [--headers DIR]

Reads only the headers in NVIDIA's wheels on PyPI, by ranges. A name counts if the headers of one of LIBRARIES' releases have it and those
of all later ones do not. --headers keeps what was read. Exit status: 0 written, 1 a wheel could not be read, 2 wrong usage.
"""
from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import textwrap
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/real"))
from partslib import index  # noqa: E402
from partslib.common import Unavailable  # noqa: E402

Release = tuple[str, str, str]  # of CUDA or cuDNN, its package and version


@dataclass
class Library:
    name: str
    releases: list[Release]
    pattern: str
    instead: str
    of_cudnn: bool = False
    headers: tuple[str, ...] = ()  # that programs include by these names
    members_of: str = ""  # a struct
    counts: str = ""  # names whose numbers of arguments count
    candidates: tuple[str, ...] = ()  # qualified names that programs use; others are the library's own


LIBRARIES = [
    Library("the CUDA runtime and driver", [("11.8", "nvidia-cuda-runtime-cu11", "11.8.89"), ("12.0", "nvidia-cuda-runtime-cu12", "12.0.146"),
            ("12.4", "nvidia-cuda-runtime-cu12", "12.4.127"), ("12.8", "nvidia-cuda-runtime-cu12", "12.8.90"), ("12.9", "nvidia-cuda-runtime-cu12", "12.9.79"),
            ("13.0", "nvidia-cuda-runtime", "13.0.96"), ("13.2", "nvidia-cuda-runtime", "13.2.75"), ("13.5", "nvidia-cuda-runtime", "13.5.37")],
            r"cuda[A-Z]\w+", "what the release notes name: cudaDeviceSynchronize for cudaThreadSynchronize, texture objects for texture references, "
            "cudaDeviceGetAttribute for members of cudaDeviceProp, cudaMemLocation for the number of a device",
            headers=("texture_fetch_functions.h", "cuda_texture_types.h", "cuda_surface_types.h", "surface_functions.h", "texture_types.h"),
            members_of="cudaDeviceProp", counts=r"cuda[A-Z]\w+|cu(?:Ctx|Mem|Graph|Stream)[A-Z]\w+", candidates=("texture<>",)),
    Library("cuSPARSE", [("11.8", "nvidia-cusparse-cu11", "11.7.5.86"), ("12.0", "nvidia-cusparse-cu12", "12.0.0.76"), ("12.9", "nvidia-cusparse-cu12", "12.5.10.65"),
            ("13.0", "nvidia-cusparse", "12.6.2.49")], r"cusparse\w+|CUSPARSE_\w+", "the generic API: cusparseSpMV, cusparseSpMM, cusparseSpSV"),
    Library("cuBLAS", [("11.8", "nvidia-cublas-cu11", "11.11.3.6"), ("12.0", "nvidia-cublas-cu12", "12.0.2.224"), ("12.9", "nvidia-cublas-cu12", "12.9.1.4"),
            ("13.0", "nvidia-cublas", "13.0.2.14")], r"cublas\w+|CUBLAS_\w+", "another function of cuBLAS"),
    Library("cuFFT", [("11.8", "nvidia-cufft-cu11", "10.9.0.58"), ("12.9", "nvidia-cufft-cu12", "11.4.1.4"), ("13.0", "nvidia-cufft", "12.0.0.61")],
            r"cufft\w+|CUFFT_\w+", "a condition on CUDART_VERSION around it, as in CUDA's own samples"),
    Library("cuSOLVER", [("11.8", "nvidia-cusolver-cu11", "11.4.1.48"), ("12.9", "nvidia-cusolver-cu12", "11.7.5.82"), ("13.0", "nvidia-cusolver", "12.0.4.66")],
            r"cusolver\w+", "cusolverDnXgeqrf and the others with an X"),
    Library("NPP", [("12.0", "nvidia-npp-cu12", "12.0.2.50"), ("12.9", "nvidia-npp-cu12", "12.4.1.87"), ("13.0", "nvidia-npp", "13.0.0.50")],
            r"npp[is]?[A-Z]\w+", "the function with _Ctx, which takes an NppStreamContext"),
    Library("NVTX 2", [("12.8", "nvidia-nvtx-cu12", "12.8.90"), ("12.9", "nvidia-nvtx-cu12", "12.9.79"), ("13.0", "nvidia-nvtx", "13.0.85")], r"",
            "<nvtx3/nvToolsExt.h>", headers=("nvToolsExt.h", "nvToolsExtCuda.h", "nvToolsExtCudaRt.h", "nvToolsExtSync.h", "nvToolsExtOpenCL.h")),
    Library("Thrust and CUB", [("12.9", "nvidia-cuda-cccl-cu12", "12.9.27"), ("13.0", "nvidia-cuda-cccl", "13.0.85")], r"",
            "cuda::std:: and thrust:: names of CCCL 3 (thrust::counting_iterator, cuda::std::plus, cuda::maximum); a functor needs no base class",
            headers=("thrust/optional.h", "thrust/future.h", "thrust/event.h", "thrust/limits.h", "thrust/async/copy.h", "thrust/async/reduce.h",
                     "thrust/async/scan.h", "thrust/async/sort.h", "thrust/async/transform.h", "thrust/async/for_each.h", "cub/util_compiler.cuh",
                     "cub/device/device_spmv.cuh", "cub/grid/grid_barrier.cuh", "cub/host/mutex.cuh", "cub/iterator/constant_input_iterator.cuh",
                     "cub/iterator/counting_input_iterator.cuh", "cub/iterator/discard_output_iterator.cuh", "cub/iterator/transform_input_iterator.cuh"),
            candidates=("thrust::unary_function", "thrust::binary_function", "thrust::not1", "thrust::not2", "thrust::unary_negate",
                        "thrust::binary_negate", "thrust::identity", "thrust::optional", "cub::Max", "cub::Min", "cub::Sum", "cub::Equality",
                        "cub::Inequality", "cub::Difference", "cub::Division", "cub::ArgMax", "cub::TransformInputIterator",
                        "cub::CountingInputIterator", "cub::ConstantInputIterator", "cub::DiscardOutputIterator", "cub::Int2Type", "cub::FpLimits",
                        "cub::GridBarrier", "cub::Mutex", "cub::DeviceSpmv", "thrust::plus", "cub::CastOp")),
    Library("cuDNN", [("8.9", "nvidia-cudnn-cu12", "8.9.7.29"), ("9.0", "nvidia-cudnn-cu12", "9.0.0.312"), ("9.28", "nvidia-cudnn-cu12", "9.28.0.42")],
            r"cudnn[A-Z]\w+", "cudnnRNNForward, cudnnSetRNNDescriptor_v8 and the other functions of version 8, which version 9 keeps", of_cudnn=True,
            headers=("cudnn_ops_infer.h", "cudnn_ops_train.h", "cudnn_cnn_infer.h", "cudnn_cnn_train.h", "cudnn_adv_infer.h", "cudnn_adv_train.h", "cudnn_v8.h")),
]
# No header decides these: nvcc for sm_70 and newer refuses them, and CUDA 13 has no older target.
MEASURED = ["thrust::identity", "thrust::optional", "thrust::not1", "thrust::not2", "cub::ConstantInputIterator"]
# Of cuSPARSE before the oldest wheel: csrmv with types and the like.
OLD_CUSPARSE = ["csrmv", "csrmv_mp", "csrmm", "csrmm2", "csrgemm", "csrgeam", "csr2csc", "csrsv_analysis", "csrsv_solve", "csrsm_analysis", "csrsm_solve",
                "hybmv", "csr2hyb", "csrilu0", "csric0"]
OLD_CUSPARSE_PLAIN = ["cusparseXcsrgemmNnz", "cusparseXcsrgeamNnz", "cusparseCreateSolveAnalysisInfo", "cusparseCreateHybMat"]
WITHOUT_SYNC = ["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"]
OWN = re.compile(r"_v\d+$|_pt(?:s|d)z$|_H_+$|Struct$|_MAJOR$|_MINOR$|_PATCH$|VersionCheck$")


def headers_of(package: str, version: str, to: Path) -> Path:
    folder = to / package / version
    if folder.is_dir():
        return folder
    wheel = index.find_wheel(package, version, "linux-x86_64", "3.11")
    with zipfile.ZipFile(index.RangeFile(wheel.url, wheel.filename)) as archive:  # type: ignore[arg-type]
        for name in archive.namelist():
            below = name.rpartition("/include/") if name.count("/include/") < 2 else name.partition("/include/")
            if not below[1] or not re.search(r"\.(h|hpp|cuh|inl)$", name):
                continue
            path = folder / re.sub(r"^cccl/", "", below[2])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
    return folder


def code_of(folder: Path) -> str:
    texts = (path.read_text(errors="replace") for path in sorted(folder.rglob("*")) if path.is_file())
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", "\n".join(texts), flags=re.S)


def numbers(code: str, pattern: str) -> set[str]:
    """NAME/N for each number of arguments that a declaration of the name admits. Those of the library itself are indented."""
    renamed = dict(re.findall(r"#define\s+(cu\w+)\s+(?:__CUDA_API_PT\w+\()?(cu\w+_v\d+)\b", code))
    by_name: dict[str, set[int]] = {}
    for name, text in re.findall(rf"(?m)^\S[^\n]*?\b((?:{pattern})(?:_v\d+)?)\s*\(([^(){{}};]*(?:\([^()]*\)[^(){{}};]*)*)\)\s*[;{{]", code):
        words = [word for word in text.split(",") if word.strip() not in ("", "void")]
        needed = len([word for word in words if "__dv" not in word and "=" not in word])
        by_name.setdefault(name, set()).update(range(needed, len(words) + 1))
    found = {name: counts for name, counts in by_name.items() if not re.search(r"_v\d+$", name)}
    found.update({plain: by_name[name] for plain, name in renamed.items() if name in by_name})
    return {f"{name}/{count}" for name, counts in found.items() for count in counts if count}


def names_of(library: Library, folder: Path) -> set[str]:
    code = code_of(folder)
    names = {name for name in re.findall(rf"\b(?:{library.pattern})\b", code) if not OWN.search(name)} if library.pattern else set()
    names |= {f"<{header}>" for header in library.headers if (folder / header).is_file()}
    if library.members_of:
        struct = re.search(rf"struct [^;{{]*\b{library.members_of}\s*\{{(.*?)\n\}}", code, re.S)
        names |= {f"{library.members_of}.{name}" for name in re.findall(r"(\w+)(?:\[[^\]]*\])*\s*;", struct[1] if struct else "")}
    if library.counts:
        names |= numbers(code, library.counts)
    for name in library.candidates:
        last = name.removesuffix("<>").rpartition("::")[2]
        template = r"struct __device_builtin_texture_type__ " if name.endswith("<>") else r"\b(?:struct|class|using)\s+(?:[A-Z_]+(?:\([^)]*\))?\s+)*"
        function = last.startswith("not")
        if re.search(rf"\b{last}\s*\(" if function else rf"{template}{last}\b(?!\s*;)", code):
            names.add(name)
    return names


def rows_of(library: Library, to: Path) -> list[dict[str, object]]:
    sets = [(release, names_of(library, headers_of(package, version, to))) for release, package, version in library.releases]
    rows, later = [], set[str]()
    for (release, names), (_, following) in zip(reversed(sets[:-1]), reversed(sets[1:])):
        later |= following
        called = {name.partition("/")[0] for name in later}  # of a function that is gone, its name says so
        gone = sorted(name for name in names - later if "/" not in name or name.startswith("<") or name.partition("/")[0] in called)
        last = {("cudnn_to" if library.of_cudnn else "cuda_to"): release}
        if library.name == "NPP" and gone:
            kept = sorted(name for name in later if re.search(r"_\d", name) and not name.endswith("_Ctx"))
            rows += [{"library": library.name, "start": start, "kept_end": "_Ctx", "kept": [name for name in kept if name.startswith(start)], **last}
                     for start in ("nppi", "npps")]
        elif gone:
            rows.append({"library": library.name, "names": gone, **last})
    return [{**row, "instead": library.instead, "source": "m-headers"} for row in rows]


def text_of(rows: list[dict[str, object]]) -> str:
    about = ("Names that NVIDIA's headers no longer declare, by tools/dev/removed_names.py: functions, macros, headers, members of a struct, "
             "numbers of arguments of a function (NAME/N), classes of Thrust and CUB. start, kept_end: all names with that beginning and the type of "
             "their data, but for those with that end and those in kept.")
    read = ", ".join(f"{package} {version}" for library in LIBRARIES for _, package, version in library.releases)
    sources = [{"id": "m-headers", "kind": "measured", "what": f"the headers in the wheels {read}"},
               {"id": "m-sync", "kind": "measured", "what": "nvcc 13.0.88 compiled a source with each: they are undefined, or ptxas refuses them"}]
    sources.append({"id": "d-cusparse", "kind": "documented", "what": "CUDA's release notes 11.0: what 10.2 had deprecated is removed from cuSPARSE; none of the "
                                "names is in the headers of nvidia-cusparse-cu11 11.7.5.86"})
    lines = []
    for row in rows:
        parts = []
        for key, value in row.items():
            text = f'"{key}": {json.dumps(value)}'
            wrapped = textwrap.wrap(text, 130, break_long_words=False, break_on_hyphens=False) if isinstance(value, list) else [text]
            parts.append("\n      ".join(wrapped))
        lines.append("    {" + ",\n      ".join(parts) + "}")
    listed = ",\n".join(f"    {json.dumps(source)}" for source in sources)
    return f'{{\n  "about": {json.dumps(about)},\n  "rows": [\n' + ",\n".join(lines) + f'\n  ],\n  "sources": [\n{listed}\n  ]\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(description="writes the names that releases of CUDA were the last to declare")
    parser.add_argument("--facts", type=Path, default=ROOT / "tools/ptxguard/facts")
    parser.add_argument("--headers", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as kept:
        try:
            rows = [row for library in LIBRARIES for row in rows_of(library, options.headers or Path(kept))]
        except (Unavailable, index.NoRanges, OSError, zipfile.BadZipFile) as error:
            print(f"removed_names.py: {error}", file=sys.stderr)
            return 1
    rows.append({"library": "Thrust and CUB", "names": sorted(MEASURED), "cuda_to": "12.9", "instead": "cuda::std::identity, cuda::std::optional, a lambda, "
                 "thrust::constant_iterator", "source": "m-sync"})
    rows.append({"library": "cuSPARSE", "names": sorted([f"cusparse{kind}{name}" for kind in "SDCZ" for name in OLD_CUSPARSE] + OLD_CUSPARSE_PLAIN),
                 "cuda_to": "10.2", "instead": "the generic API: cusparseSpMV, cusparseSpMM, cusparseSpSV, cusparseSpGEMM", "source": "d-cusparse"})
    rows.append({"library": "intrinsics without _sync", "names": sorted(WITHOUT_SYNC), "cuda_to": "12.9",
                 "instead": "the function with _sync and a mask: __shfl_sync(0xffffffff, ...)", "source": "m-sync"})
    (options.facts / "removed_names.json").write_text(text_of(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
