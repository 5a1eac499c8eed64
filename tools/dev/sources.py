#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches the C sources of libyaml, LZ4, zstd and libdeflate for cross builds: libyaml and zstd from the Debian archive that apt
uses, the others from sdists on the package index that pip uses (the libyaml of ruamel.yaml.clib is older and refuses a:b in
lists; the zstd of sdists is one source with the compressor, which takes as long to compile as ten of ours).

    cmake $(python3 tools/dev/sources.py build/sources) ...

Unpacks each archive once, after its hash was compared, and prints the options FETCHCONTENT_SOURCE_DIR_<NAME>. What cannot
be fetched is reported on standard error and left out: CMake then fetches that library from its own project.
"""
from __future__ import annotations

import hashlib
import io
import shutil
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/real"))
from partslib import debian, index  # noqa: E402
from partslib.common import Unavailable, retry, scratch  # noqa: E402

# Library, the project on the index or the folder in Debian's archive, and the file there that has its sources.
ARCHIVES = (
    ("libyaml", "pool/main/liby/libyaml/", "libyaml_0.2.5.orig.tar.gz", "fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e"),
    ("lz4", "lz4", "lz4-4.4.5.tar.gz", "5f0b9e53c1e82e88c10d7c180069363980136b9d7a8306c4dca4f760d60c39f0"),
    ("libdeflate", "deflate", "deflate-0.9.0.tar.gz", "962e0a6f1ea3a94b900a8ea0ce138fa92bfcbafda5b86367104a259ffcd3462b"),
    ("zstd", "pool/main/libz/libzstd/", "libzstd_1.5.4+dfsg2.orig.tar.xz", "8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953"),
)


def address(place: str, filename: str) -> str:
    if place.startswith("pool/"):
        return f"{debian.debian_source().uri.rstrip('/')}/{place}{filename}"
    for files in index.listed_files(place):
        for file in files:
            if file.filename == filename:
                return file.url
    raise Unavailable(f"the index has no {filename}")


def download(place: str, filename: str, sha256: str) -> bytes:
    url = address(place, filename)
    data = retry(filename, lambda: index.open_url(url, {}).read())
    if hashlib.sha256(data).hexdigest() != sha256:
        raise Unavailable(f"{filename} from {place} is not the file that is expected (SHA-256)")
    return data


def unpack(data: bytes, to: Path) -> None:
    with scratch(to.parent, f".{to.name}-") as work, tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(work)
        shutil.rmtree(to, ignore_errors=True)
        next(work.iterdir()).rename(to)


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for library, place, filename, sha256 in ARCHIVES:
        source = folder / filename[: filename.index(".tar.")]
        try:
            if not source.is_dir():
                unpack(download(place, filename, sha256), source)
            print(f"-DFETCHCONTENT_SOURCE_DIR_{library.upper()}={source}")
        except Unavailable as reason:
            print(f"sources.py: {reason.reason}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
