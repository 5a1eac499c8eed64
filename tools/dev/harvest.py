#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tools/ptxguard/facts/pypi/PACKAGE.json: what PyPI's releases of a package require, for which Pythons and systems.

    harvest.py [PACKAGE...] [--facts DIR] [--since YYYY]

Without a package, all of PACKAGES. Releases before --since are listed without their requirements, except those of COMPANIONS. Only requirements of packages
that the tables have something to say about are kept. Equal releases share one row. Exit status: 0 written, 1 something could
not be read (the file of that package is left as it is), 2 wrong usage.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import json
import re
import sys
import urllib.error
import urllib.parse
import zipfile
from email.parser import BytesHeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/real"))
from partslib import index, pip  # noqa: E402
from partslib.common import Unavailable, retry  # noqa: E402

# Packages that are built for one release of a framework or for one CUDA, and those that pin such packages.
PACKAGES = """
    accelerate allennlp anomalib aphrodite-engine aqlm audio-separator audiocraft auto-gptq autoawq autogluon autogluon-core
    autogluon-multimodal autogluon-timeseries axolotl basic-pitch basicsr bert-score bitsandbytes boltz botorch brax
    causal-conv1d cellpose chai-lab chatterbox-tts clip-anytorch cmake colabfold compressed-tensors controlnet-aux coqui-tts
    ctranslate2 cuda-bindings cuda-core cuda-python cuda-toolkit cudf-cu11 cudf-cu12 cudf-cu13 cugraph-cu11 cugraph-cu12
    cuml-cu11 cuml-cu12 cuml-cu13 cupy-cuda11x cupy-cuda12x cupy-cuda13x cuvs-cu12 deepface deeplabcut deepspeed demucs
    detoxify dgl diffusers dm-haiku docling docling-ibm-models docling-slim easyocr encodec equinox exllamav2 exllamav3
    f5-tts facenet-pytorch fairseq fairseq2 faiss-cpu faiss-gpu faiss-gpu-cu11 faiss-gpu-cu12 farm-haystack fastai fastembed
    fastembed-gpu faster-whisper fbgemm-gpu flagembedding flair flash-attn flash-linear-attention flashinfer-python flax
    fschat funasr functorch gfpgan gliner gptqmodel gsplat hqq inference-gpu infinity-emb insightface
    intel-extension-for-pytorch invokeai iopaint jax jax-cuda12-plugin jax-cuda13-plugin jaxlib keras keras-cv keras-hub
    keras-nlp kornia lama-cleaner liger-kernel lightning lightning-thunder llamafactory llmcompressor lm-eval lmcache
    lmdeploy lpips ludwig magenta magic-pdf mamba-ssm marker-pdf megatron-core mineru mmcv mmdet mmengine monai ms-swift
    natten nemo-toolkit nerfstudio neuralforecast nnunetv2 nougat-ocr numba numba-cuda numpyro nvidia-cublas-cu11
    nvidia-cublas-cu12 nvidia-cuda-nvcc-cu12 nvidia-cuda-runtime-cu12 nvidia-cudnn-cu11 nvidia-cudnn-cu12 nvidia-cudnn-cu13
    nvidia-dali-cuda110 nvidia-dali-cuda120 nvidia-modelopt nvidia-nccl-cu12 nvidia-nccl-cu13 nvmath-python nvshmem4py-cu12
    nvshmem4py-cu13 onnxruntime onnxruntime-directml onnxruntime-genai-cuda onnxruntime-gpu open-clip-torch openai-whisper
    optax optimum optimum-quanto orbax-checkpoint paddleocr paddlepaddle paddlepaddle-gpu parler-tts peft pyannote-audio
    python-doctr pytorch-forecasting pytorch-ignite pytorch-lightning pytorch-metric-learning pytorchvideo
    rapidocr-onnxruntime rasa realesrgan rembg resemble-enhance rfdetr rotary-embedding-torch scvi-tools
    segmentation-models-pytorch sentence-transformers sgl-kernel sglang silero-vad simpletransformers sleap
    spacy-transformers spconv-cu113 spconv-cu114 spconv-cu116 spconv-cu117 spconv-cu118 spconv-cu120 spconv-cu121
    spconv-cu124 spconv-cu126 speechbrain spleeter stable-audio-tools stable-baselines3 stable-ts stanza super-gradients
    surya-ocr tensordict tensorflow tensorflow-addons tensorflow-cpu tensorflow-decision-forests tensorflow-federated
    tensorflow-gpu tensorflow-hub tensorflow-intel tensorflow-io tensorflow-model-optimization tensorflow-probability
    tensorflow-recommenders tensorflow-text tensorrt tensorrt-cu12 tensorrt-cu13 tensorrt-llm tf-keras tf-models-official
    timm torch torch-fidelity torch-geometric torch-npu torch-tensorrt torch-xla torchao torchaudio torchcodec torchdata
    torcheval torchmetrics torchrec torchrl torchsde torchtext torchtune torchvision totalsegmentator transformer-engine
    transformer-engine-torch transformers triton trl tts ultralytics unsloth unsloth-zoo unstructured-inference
    vector-quantize-pytorch verl vllm whisper-ctranslate2 whisper-timestamped whisperx wyoming-faster-whisper x-transformers
    xformers xfuser xgboost xgrammar
""".split()
# torch has required one release of sympy.
KEPT = re.compile(r"nvidia-.*-cu\d+$|nvidia-(cu|nccl|nv)|cuda-(bindings|core|python|toolkit)$|jax-cuda|tensorrt|transformer-engine|sympy$")
# Old recipes pin them beside torch, each for one of its releases.
COMPANIONS = {"torchaudio", "torchtext", "torchvision"}
LIST_ONLY = re.compile(r"nvidia-|cuda-bindings|cuda-python|cuda-toolkit")  # their own requirements decide nothing
# Extras of developers, which no recipe for users requests.
FOR_DEVELOPERS = re.compile(r"""extra\s*==\s*["']([a-z]+-)?(dev|test|tests|testing|docs?|lint|build|bench|benchmark|ci|all-dev)["']""")
WIDTH = 120
index.BLOCK = 1 << 17  # bytes a request: METADATA is at the end of a wheel


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def order(version: str) -> tuple[object, ...]:
    """Ascending by PEP 440, for releases and post-releases."""
    head, _, post = version.partition(".post")
    return ([int(n) for n in re.findall(r"\d+", head)], int(post or -1))


def is_release(version: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)*(\.post\d+)?", version) is not None


def version_of(filename: str) -> str:
    if filename.endswith(".whl"):
        return filename.split("-")[1]
    return re.sub(r"\.(tar\.gz|zip|tar\.bz2)$", "", filename).rpartition("-")[2]


def systems_of(tags: str) -> set[str]:
    machines = {one for one in ("x86_64", "aarch64", "arm64") if one in tags}
    if "musllinux" in tags:
        return {f"musl-{one}" for one in machines}
    if "manylinux" in tags or "linux_" in tags:
        return {f"linux-{one}" for one in machines}
    if "win_amd64" in tags:
        return {"windows"}
    if "macosx" in tags:
        return {f"macos-{one}" for one in ({"x86_64", "arm64"} if "universal2" in tags else machines)}
    return {"any"} if tags.endswith("-any") else set()


def pythons_of(tags: str) -> set[str]:
    """cp311 of a wheel for one Python; 38+ of an abi3 wheel; any."""
    python, abi, _ = tags.split("-", 2)
    if abi == "abi3":
        return {name + "+" for name in re.findall(r"cp3(\d+)", python)}
    if abi == "none" and python.startswith("py"):
        return {"any"}
    return set() if abi.endswith("t") else set(re.findall(r"cp3(\d+)", python))


MANYLINUX = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}


def glibc_of(files: list[dict]) -> str:
    """The oldest C library that one of the wheels for Linux on x86-64 needs, where it is newer than manylinux2014's."""
    needed = []
    for file in files:
        tags = [one for one in file["filename"][:-4].split("-")[-1].split(".") if one.endswith("linux_x86_64") or "manylinux" in one]
        tags = [one for one in tags if one.endswith("x86_64")]
        found = [MANYLINUX.get(one[:-7]) or tuple(int(n) for n in re.findall(r"\d+", one[:-7])) or (2, 0) for one in tags]
        if file["filename"].endswith(".whl") and found and "musllinux" not in file["filename"]:
            needed.append(min(found))
    lowest = min(needed, default=(2, 0))
    return "%d.%d" % lowest if lowest > MANYLINUX["manylinux2014"] else ""


def span(pythons: set[str]) -> dict[str, str]:
    if "any" in pythons or not pythons:
        return {}
    numbers = sorted(int(one.rstrip("+")) for one in pythons)
    last = {} if any(one.endswith("+") for one in pythons) else {"to": f"3.{numbers[-1]}"}
    return {"from": f"3.{numbers[0]}", **last}


def listed(package: str) -> list[dict]:
    """The files on the index page, in the form of PEP 691, which has Requires-Python and the dates."""
    for root in pip.index_urls():
        url = urllib.parse.urljoin(root, package + "/")
        answer = retry(url, lambda url=url: index.open_url(url, {"Accept": "application/vnd.pypi.simple.v1+json"}))
        return json.loads(answer.read())["files"]
    raise Unavailable("pip has no index")


def requirements_of(files: list[dict]) -> list[str]:
    """Requires-Dist of the wheel for Linux, otherwise of another one; none of a source archive."""
    wheels = [file for file in files if file["filename"].endswith(".whl")]
    wheels.sort(key=lambda file: not re.search(r"linux.*x86_64|none-any", file["filename"]))
    if not wheels:
        return []
    with zipfile.ZipFile(index.RangeFile(wheels[0]["url"], wheels[0]["filename"])) as wheel:
        name = next(name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        return BytesHeaderParser().parsebytes(wheel.read(name)).get_all("Requires-Dist") or []


EXTRA = re.compile(r"""extra\s*==\s*["']([A-Za-z0-9._-]+)["']""")


def with_own_extras(requirements: list[str], package: str) -> list[str]:
    """'sglang[srt]; extra == "all"' in the metadata of sglang: what srt requires, all requires too."""
    found = list(requirements)
    for _ in range(5):  # extras of extras
        more = []
        for own in found:
            name = re.match(r"([A-Za-z0-9._-]+)\s*\[([^]]*)\]", own)
            outer = EXTRA.findall(own)
            if not name or canonical(name.group(1)) != package or len(outer) != 1 or re.match("dev|test", outer[0]):
                continue
            inner = {canonical(one) for one in name.group(2).split(",")}
            for one in found:
                extras = EXTRA.findall(one)
                if len(extras) == 1 and canonical(extras[0]) in inner:
                    more.append(EXTRA.sub(f'extra == "{outer[0]}"', one))
        new = [one for one in more if one not in found]
        if not new:
            break
        found += sorted(set(new))
    return found


def is_kept(requirement: str, package: str, names: set[str]) -> bool:
    name = canonical(re.match(r"[A-Za-z0-9._-]+", requirement).group())
    return name != package and (name in names or KEPT.match(name) is not None) and not FOR_DEVELOPERS.search(requirement)


def tidy(requirement: str) -> str:
    """The form of newer metadata: "name (==1.0)" is "name==1.0"."""
    head, semicolon, marker = requirement.partition(";")
    head = re.sub(r"\s*\(([^)]*)\)", r"\1", head).strip().replace(" ", "")
    return head + ("; " + marker.strip() if semicolon else "")


def row_of(package: str, files: list[dict], names: set[str], read: bool) -> dict:
    pythons: dict[str, set[str]] = {}
    for file in files:
        if not file["filename"].endswith(".whl"):
            continue
        tags = "-".join(file["filename"][:-4].split("-")[-3:])
        for system in systems_of(tags):
            pythons.setdefault(system, set()).update(pythons_of(tags))
    row: dict = {}
    required_python = next((file["requires-python"] for file in files if file.get("requires-python")), "")
    if required_python:
        row["python"] = required_python.replace(" ", "")
    row["wheels"] = sorted(pythons)
    of_linux = span(pythons.get("linux-x86_64", set()))
    if of_linux:
        row["pythons"] = of_linux
    if glibc := glibc_of(files):
        row["glibc"] = glibc
    if any(not file["filename"].endswith(".whl") for file in files):
        row["sdist"] = True
    if files and all(file.get("yanked") for file in files):
        row["yanked"] = True
    if read and pythons:  # a source archive does not tell
        kept = [tidy(one) for one in with_own_extras(requirements_of(files), package) if is_kept(one, package, names)]
        row["requires"] = sorted(set(kept))
    return row


def as_changes(rows: list[dict]) -> list[dict]:
    """Rows that say only what they add to and drop from the requirements of the row before, where that is shorter."""
    written = []
    before = None
    for row in rows:
        here = row.get("requires")
        if before is not None and here is not None:
            changes = {"adds": sorted(set(here) - set(before)), "drops": sorted(set(before) - set(here))}
            changes = {key: value for key, value in changes.items() if value} or {"adds": []}
            if len(json.dumps(changes)) < len(json.dumps({"requires": here})):
                row = {**{key: value for key, value in row.items() if key != "requires"}, **changes}
        before = here
        written.append(row)
    return written


def dump(table: dict) -> str:
    """One row a line where it fits."""
    def one(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = ["{", f'  "package": {one(table["package"])}, "read": {one(table["read"])},', '  "rows": [']
    rows = []
    for row in as_changes(table["rows"]):
        text = "    " + one(row)
        if len(text) > WIDTH:
            text = "    {" + ",\n      ".join(f"{one(key)}: {wrapped(value)}" for key, value in row.items()) + "}"
        rows.append(text)
    lines.append(",\n".join(rows))
    lines.append("  ],")
    lines.append(f'  "sources": [{one(table["sources"][0])}]')
    return "\n".join(lines) + "\n}\n"


def wrapped(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, list) or len(text) < WIDTH - 20:
        return text
    out, line = [], ""
    for item in value:
        piece = json.dumps(item, ensure_ascii=False)
        if line and len(line) + len(piece) > WIDTH - 12:
            out.append(line + ",")
            line = ""
        line += (", " if line else "") + piece
    out.append(line)
    return "[" + "\n        ".join(out) + "]"


def harvest(package: str, since: int, names: set[str]) -> dict:
    by_version: dict[str, list[dict]] = {}
    for file in listed(package):
        version = version_of(file["filename"])
        if is_release(version):
            by_version.setdefault(version, []).append(file)
    since = 0 if package in COMPANIONS else since
    rows: list[dict] = []
    for version in sorted(by_version, key=order):
        files = by_version[version]
        newest = max(file.get("upload-time") or "" for file in files)
        row = row_of(package, files, names, not LIST_ONLY.match(package) and int(newest[:4] or 0) >= since)
        previous = {key: value for key, value in rows[-1].items() if key != "releases"} if rows else None
        if row == previous:
            rows[-1]["releases"].append(version)
        else:
            rows.append({"releases": [version], **row})
    today = datetime.date.today().isoformat()
    source = {"id": "m-pypi", "kind": "measured",
              "what": f"PyPI's index page of {package} and METADATA of its wheels for Linux x86_64, {today}"}
    return {"package": package, "read": today, "rows": [{**row, "source": "m-pypi"} for row in rows], "sources": [source]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--facts", type=Path, default=ROOT / "tools/ptxguard/facts")
    parser.add_argument("--since", type=int, default=2022)
    arguments = parser.parse_args()
    names = set(PACKAGES)
    (arguments.facts / "pypi").mkdir(parents=True, exist_ok=True)
    status = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asked = {pool.submit(harvest, canonical(name), arguments.since, names): name for name in arguments.packages or PACKAGES}
        for done in concurrent.futures.as_completed(asked):
            name = asked[done]
            try:
                table = done.result()
            except (Unavailable, index.NoRanges, urllib.error.URLError, KeyError, StopIteration, ValueError, zipfile.BadZipFile) as error:
                print(f"{name}: {error}", file=sys.stderr)
                status = 1
                continue
            (arguments.facts / "pypi" / f"{canonical(name)}.json").write_text(dump(table), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
