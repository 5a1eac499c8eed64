# Small archives that say they are large: how much memory and time `inspect` spends follows from their size on disk.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

PTXGUARD = sys.argv.pop(1)
# KB. Under AddressSanitizer shadow memory and freed blocks count, too.
MOST_MEMORY = (4096 if os.environ.get("PTXGUARD_SANITIZED") else 512) << 10
MEGA = 1 << 20


class Run:
    def __init__(self, name: str, content: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, output = Path(folder) / name, Path(folder) / "output"
            path.write_bytes(content)
            with output.open("wb") as out:
                child = subprocess.Popen([PTXGUARD, "inspect", str(path)], stdout=out, stderr=subprocess.STDOUT)
                _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.text = output.read_text(errors="replace")
        self.code, self.memory = child.returncode, usage.ru_maxrss
        self.seconds = usage.ru_utime + usage.ru_stime


def deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def zeros(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    step = bytes(16 * MEGA)
    return b"".join(packer.compress(step[:min(len(step), size - at)]) for at in range(0, size, len(step))) + packer.flush()


def local(name: str, method: int, packed: bytes, size: int) -> bytes:
    return struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, method, 0, 0, 0, len(packed), size, len(name), 0) + name.encode() + packed


# One local entry, and a row of the directory for each name.
def zip_of(names: list[str], packed: bytes, size: int, method: int = 8) -> bytes:
    body = local("x", method, packed, size)
    rows = b"".join(struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, method, 0, 0, 0, len(packed), size, len(name), 0, 0, 0, 0,
                                0, 0) + name.encode() for name in names)
    count = min(len(names), 0xffff)
    return body + rows + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, len(rows), len(body), 0)


def zstd(content: bytes = b"", then_zeros: int = 0) -> bytes:
    frame = [b"\x28\xb5\x2f\xfd\x00\x68"]  # window of 8 MiB
    step = 1 << 17
    blocks = [(0, content[at:at + step]) for at in range(0, len(content), step)]
    blocks += [(1, min(step, then_zeros - at)) for at in range(0, then_zeros, step)]
    for number, (kind, what) in enumerate(blocks):
        last = number == len(blocks) - 1
        size = what if kind else len(what)
        frame.append(struct.pack("<I", size << 3 | kind << 1 | last)[:3] + (b"\0" if kind else what))
    return b"".join(frame)


def tar_head(name: str, size: int, kind: bytes = b"0") -> bytes:
    number = b"%011o\0" % size if size < 1 << 33 else b"\x80" + size.to_bytes(11, "big")
    head = name.encode().ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + number + b"00000000000\0"
    rest = kind + bytes(100) + b"ustar\x0000" + bytes(247)
    total = sum(head) + 8 * 32 + sum(rest)
    return head + b"%06o\0 " % total + rest


def tar_member(name: str, content: bytes, kind: bytes = b"0") -> bytes:
    return tar_head(name, len(content), kind) + content + bytes(-len(content) % 512)


BOMB = zstd(then_zeros=1536 * MEGA) * 8
LIBRARY = zstd(tar_head("libx.so", 12288 * MEGA)) + BOMB


class HostileArchives(unittest.TestCase):
    def cheap(self, name: str, content: bytes, seconds: float = 8) -> Run:
        run = Run(name, content)
        self.assertIn(run.code, (0, 1, 2), run.text[-500:])
        self.assertLess(run.memory, MOST_MEMORY, run.text[-500:])
        self.assertLess(run.seconds, seconds)
        return run

    # `make(n)` for twice as many of something.
    def linear(self, name: str, make, count: int) -> None:
        half, whole = self.cheap(name, make(count)), self.cheap(name, make(2 * count))
        self.assertLess(whole.seconds, 2.6 * half.seconds + 0.1)

    def test_only_the_first_metadata_is_read(self) -> None:
        text = "Metadata-Version: 2.1\nName: a\nVersion: 1\n" + "Requires-Dist: nvidia-cublas-cu12\n" * 110000
        names = [f"{i}.dist-info/METADATA" for i in range(2000)]
        self.cheap("a-1-py3-none-any.whl", zip_of(names, deflate(text.encode()), len(text)), 3)

    def test_many_requirements(self) -> None:
        def wheel(count: int) -> bytes:
            text = "Metadata-Version: 2.1\nName: a\nVersion: 1\n" + "".join(
                f"Requires-Dist: package-{i}\n" for i in range(count))
            return zip_of(["a-1.dist-info/METADATA"], deflate(text.encode()), len(text))
        self.linear("a-1-py3-none-any.whl", wheel, 40000)

    def test_zeros_in_zstd(self) -> None:
        for name, content in (("x.tar.zst", BOMB), ("x.tar.zst", LIBRARY), ("x.tar.zst", zstd(tar_head("README", 12288 * MEGA)) + BOMB),
                              ("x.conda", zip_of(["pkg-x.tar.zst"], BOMB, len(BOMB), 0))):
            self.cheap(name, content)
        self.assertIn("its member libx.so is larger than is unpacked", self.cheap("x.tar.zst", LIBRARY).text)

    def test_copies_share_one_budget(self) -> None:
        for content in (BOMB, LIBRARY):
            self.cheap("x.conda", zip_of([f"pkg-{i}.tar.zst" for i in range(200)], content, len(content), 0))

    def test_large_members(self) -> None:
        large = zeros(600 * MEGA)
        for name, content in (("x.whl", zip_of(["libx.so"], large, 600 * MEGA)),
                              ("x.tar.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\3" + large + struct.pack("<II", 0, 600 * MEGA))):
            self.assertIn("is larger than is unpacked", self.cheap(name, content).text)
        fits = zeros(300 * MEGA)
        self.cheap("x.whl", zip_of([f"lib{i}.so" for i in range(200)], fits, 300 * MEGA))
        inner = zip_of(["libx.so"], fits, 300 * MEGA) + bytes(8)
        self.cheap("x.tar.zst", zstd(tar_member("x.whl", inner)))

    def test_rows_over_one_entry(self) -> None:
        library = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHI", 3, 62, 1) + os.urandom(4 * MEGA)
        for method, packed, size in ((0, library, len(library)), (8, deflate(library), 1), (8, zeros(MEGA), MEGA)):
            self.cheap("x.zip", zip_of([f"lib{i}.so" for i in range(60000)], packed, size, method), 20)

    def test_names(self) -> None:
        long = "d" * 4000 + ".ptx"
        ptx = b".version 8.0\n.target sm_80\n.address_size 64\n"
        member = tar_member("././@LongLink", long.encode() + b"\0", b"L") + tar_member("x.ptx", ptx)
        many = zstd(b"".join(b"".join([member] * 30) for _ in range(10)))
        # Compressed as repeated frames: zstd's own ratio would be higher still.
        run = self.cheap("x.tar.zst", many * 5)
        self.assertIn("1500 members", run.text)
        table = (long + "/\n").encode()
        archive = b"!<arch>\n" + f"{'//':<48}{len(table):<10}`\n".encode() + table + bytes(len(table) % 2)
        archive += f"{'/0':<48}{0:<10}`\n".encode() * 131000
        self.assertIn("the names of the members are longer than is read", self.cheap("x.a", archive).text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
