// Writes the seeds of the fuzz targets: small files with one of everything, and damaged ones. Files that
// fuzzing found have other names in the same folder and are kept.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <string>

#include "../unit/formats/build_archive.hpp"
#include "../unit/formats/build_fatbin.hpp"
#include "../unit/formats/build_ld_cache.hpp"
#include "../unit/formats/build_pe_tables.hpp"
#include "make_corpus.hpp"

namespace {

built::Elf full_library() {
    built::Elf elf;
    elf.soname = "libcublas.so.12";
    elf.interpreter = "/lib64/ld-linux-x86-64.so.2";
    elf.needed = {"libcublasLt.so.12", "libc.so.6"};
    elf.rpath = "$ORIGIN";
    elf.runpath = "$ORIGIN/../lib:/opt/lib";
    elf.flags_1 = 0x800;
    elf.needed_versions = {{"libcublasLt.so.12", "libcublasLt.so.12", 3},
                           {"libc.so.6", "GLIBC_2.34", 4, true}};
    elf.defined_versions = {{"libcublas.so.12", 1, 1}, {"v2", 2, 0}};
    elf.symbols = {{"cublasLtMatmul", 0, 3}, {"memcpy", 0, 4}, {"cublasCreate_v2", 7, 2}, {"plain", 7, 1}};
    elf.relocated = {1, 2};
    elf.sections = {{".nv_fatbin", "fatbin!!"}, {".rodata", "constants"}};
    return elf;
}

void write_elf(const Folder& folder) {
    built::Elf elf = full_library();
    const std::string whole = elf.build();
    folder.add_damaged("library", whole, elf.at["dynamic"] + 8);
    folder.add_damaged("versions", whole, elf.at["verneed"] + 12);
    elf = full_library();
    elf.section_headers = elf.sysv_hash = false;
    elf.gnu_hash = true;
    folder.add_damaged("gnu-hash", elf.build(), elf.at["gnu_hash"]);
    elf = full_library();
    elf.section_headers = elf.sysv_hash = false;
    folder.add("relocations", elf.build());
    built::Elf object;
    object.type = 1;
    object.dynamic = false;
    object.sections = {{".nv_fatbin", "x"}};
    std::string bytes = object.build();
    folder.add("object", bytes);
    built::put(bytes, 60, 0, 2);
    built::put(bytes, 62, 0xffff, 2);
    built::put(bytes, object.at["shdr"] + 32, 3, 8);
    built::put(bytes, object.at["shdr"] + 40, 2, 4);
    folder.add("large-counts", bytes);
}

void write_pe(const Folder& folder) {
    const std::vector<ptxguard::PeImport> imports{{"cublas64_12.dll", false, {"cublasCreate_v2", "#12"}},
                                                  {"KERNEL32.dll", false, {"GetLastError"}}};
    for (const bool is_64 : {true, false}) {
        built::Pe pe;
        pe.is_64 = is_64;
        pe.image_base = 0x10000000;
        built::lay_imports(pe, imports);
        built::lay_delayed(pe, {"cudnn64_9.dll", true, {"cudnnCreate"}}, !is_64);
        built::lay_exports(pe, "torch_cuda.dll",
                           {{"b", ""}, {"a", "cudart64_12.cudaMalloc"}, {"", ""}, {"-", ""}});
        folder.add_damaged(is_64 ? "tables" : "tables-32", pe.build(),
                           built::Pe::k_offset + pe.directories[0].first - built::Pe::k_address + 20);
    }
    built::Pe pe;
    built::lay_resources(pe, {{16, built::version_resource()}, {24, "\xef\xbb\xbf<assembly/>"}});
    pe.more = {{".nv_fatb", "fatbin!!"}};
    folder.add_damaged("resources", pe.build(), built::Pe::k_offset + 4);
    built::Pe wide;
    built::lay_resources(wide, {{24, "\xff\xfe" + built::utf16(u"<assembly/>")}});
    folder.add("manifest-utf16", wide.build());
}

void write_ld_cache(const Folder& folder) {
    std::vector<built::CacheRow> rows{{"libcublas.so.12", "/opt/cublas/libcublas.so.12"},
                                      {"libc.so.6", "/lib/libc.so.6", 0x0003}};
    folder.add("old", built::old_cache(rows));
    folder.add("old-and-new", built::old_cache({}) + built::new_cache(rows));
    rows.push_back({"libfast.so.1", "/lib/glibc-hwcaps/x86-64-v3/libfast.so.1", 0x0303,
                    std::uint64_t{1} << 62 | std::uint64_t{3} << 32 | 1});
    folder.add_damaged("hwcaps", built::new_cache(rows, {"x86-64-v2", "x86-64-v3"}), 32);
}

// One entry of each kind, raw and packed.
std::string all_entries() {
    built::Entry cubin, newer, lto, other;
    cubin.payload = built::cubin_7(80);
    newer.minor = 8;
    newer.arch = 120;
    newer.flags |= built::k_flag_a;
    newer.payload = built::cubin_8(120, "13.0.88", true);
    lto.kind = 8;
    lto.flags |= built::k_flag_obfuscated;
    lto.payload = "hidden";
    other.kind = 0x20;
    other.extra = 40;
    return built::fatbin({cubin, built::packed(newer, newer.payload, built::k_flag_zstd), newer,
                          built::packed(built::ptx_entry(), built::ptx_text(), built::k_flag_lz4)}) +
           std::string(8, '\0') + built::fatbin({lto, other});
}

void write_fatbin(const Folder& folder) {
    folder.add_damaged("entries", all_entries(), 24);
    folder.add("between", std::string(24, 'x') + all_entries() + std::string(16, 'y'));
    folder.add("empty", built::fatbin({}) + built::fatbin({}));
}

std::string archive_of(const std::string& member) {
    return "!<arch>\n" + built::member("/", "symbols") + built::member("//", "a_name_of_more_than_16.o/\n") +
           built::member("/0", member) + built::member("#1/4", std::string("b.o\0x", 5)) +
           built::member("c.o/", "text");
}

std::string thin_archive() {
    return "!<thin>\n" + built::member("//", "obj/a.o/\nb.a/\n") + built::member("/0", "12345678", true) +
           built::member("/9:8", "x", true);
}

void write_archive(const Folder& folder) {
    folder.add_damaged("names", archive_of("content"), 8 + 48);
    folder.add_damaged("thin", thin_archive(), 8 + 60);
}

void write_cubin(const Folder& folder) {
    folder.add_damaged("abi-7", built::cubin_7(90, 128, 0xd00), 20);
    folder.add_damaged("abi-8", built::cubin_8(120, "13.0.88", true), 68);
}

void write_ptx(const Folder& folder) {
    folder.add("plain", built::ptx_text());
    folder.add("comments", "/* a */ // b\n// Cuda compilation tools, release 12.8, V12.8.93\n" +
                               built::ptx_text("8.7", "sm_100a, debug"));
}

void write_payload(const Folder& folder) {
    const std::string text = built::ptx_text();
    for (const std::uint16_t flag : {0, 0x2000, 0x8000}) {
        const std::string bytes = flag == 0        ? text
                                  : flag == 0x2000 ? built::lz4_block(text)
                                                   : built::zstd_frame(text);
        std::string head(16, '\0');
        built::put(head, 0, flag, 2);
        built::put(head, 2, 20, 2);
        built::put(head, 4, bytes.size(), 4);
        built::put(head, 8, text.size(), 4);
        folder.add_damaged(flag == 0 ? "stored" : flag == 0x2000 ? "lz4" : "zstd", head + bytes, 20);
    }
}

void write_inspect(const Folder& folder) {
    built::Elf elf;
    elf.needed = {"libcublas.so.12"};
    elf.sections = {{".nv_fatbin", all_entries()},
                    {"__nv_relfatbin", built::fatbin({built::ptx_entry()})},
                    {".cask_resource", "resource" + built::fatbin({built::ptx_entry()})},
                    {".rodata", built::cubin_8(90)}};
    const std::string library = elf.build();
    folder.add_damaged("library", library, elf.at["shdr"] + 64 + 24);
    elf.section_headers = false;
    folder.add("stripped", elf.build());
    built::Pe dll;
    dll.more = {{".nv_fatb", all_entries()}};
    folder.add_damaged("dll", dll.build(), 0x80 + 24 + 240 + 40 + 16);
    folder.add("archive", archive_of(library));
    folder.add("nested", archive_of(archive_of(built::cubin_7(80))));
    folder.add("thin", thin_archive());
    folder.add("fatbin", all_entries());
    folder.add("cubin", built::cubin_8(100, "13.0.88", false, "-arch sm_100f"));
    folder.add("ptx", built::ptx_text());
    folder.add("page", "<!DOCTYPE html>");
}

void write_text(const Folder& folder) {
    folder.add("python", R"(from typing import Optional
__all__ = ['cuda']
__version__ = '2.8.0+cu128'
cuda: Optional[str] = '12.8'
hip: Optional[str] = None
build_info = collections.OrderedDict([('cuda_version', '12.5.1')])
def f():
    x = {'a': (1, 2), "b": [r'c', '''d''']}
)");
    folder.add("cmake", R"(# PyTorch
set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=1")
if(NOT "${A}" STREQUAL [==[b]==])
  #[[ no ]] set(CUDA_VERSION 12.8 CACHE STRING "\"v\"")
endif()
)");
    folder.add("header", R"(#define TF_CUDA_VERSION "12.5.1"
#define CUDNN_MAJOR 9 // major
#  define __CUDA_API_VERSION \
  12080 /* one
two */
#define F(x) x
)");
    folder.add("metadata", R"(Metadata-Version: 2.1
Name: torch
Version: 2.8.0+cu128
Requires-Dist: nvidia-cublas-cu12==12.8.4.1; platform_system == "Linux" and platform_machine == 'x86_64'
Requires-Dist: triton[a,b] (>=3.4, <4) ; extra == 'x' or (python_version < "3.9")

Text
)");
    std::string strings;
    for (const char* text : {"Cuda compilation tools, release 13.0, V13.0.88", "sm_75 sm_80 compute_90",
                             "_ZN3c105ErrorC1ENSt7__cxx1112basic_stringIcEE"})
        strings += std::string(text) + '\0';
    folder.add("strings", strings);
}

void write_package_recipes(const Folder& folder) {
    folder.add("requirements", R"(-r requirements\n--extra-index-url https://x/${CUDA}/cu121 # c
torch==2.1.0+cu121 ; python_version < "3.12" and (sys_platform == 'linux' or extra == "a") \
    --hash=sha256:00
a[b,c] @ https://x/a-1.0%2Bcu1-cp311-cp311-linux_x86_64.whl
-e .[gpu]
-c constraints
)");
    folder.add("conda", R"({% set v = "1" | lower %}
package: {name: x, version: {{ v }}}
channels: [pytorch]
dependencies:
  - a::b=1=c*  # [linux and not win]
  - {{ compiler('cuda') }}  # [cuda]
  - pip: ["-r requirements", torch]
requirements: {host: [{if: linux, then: ["a ${{ v }}"], else: b}], run: [c]}
)");
    folder.add("pyproject", R"([project]
dependencies = ["torch>=2"]
[project.optional-dependencies]
a = ["x[a]"]
[dependency-groups]
g = [{include-group = "g"}, "y"]
[tool.poetry.dependencies]
t = [{version = "^1 || ~2", source = "s", python = ">3"}, {url = "https://x/y-1.whl", optional = true}]
[tool.uv.sources]
torch = [{index = "i", extra = "a"}]
[[tool.uv.index]]
name = "i"
url = "u"
[[package]]
name = "t"
version = "1"
source = {registry = "r"}
)");
}

void write_job_recipes(const Folder& folder) {
    folder.add("workflow", R"(on: push
env: {A: "${{ matrix.a || 'x' }}"}
jobs:
  t:
    runs-on: [self-hosted, linux]
    strategy: {matrix: {a: [1, 2], include: [{a: 1, b: {c: d}}], exclude: [{a: 2}]}}
    container: nvidia/cuda:${{ matrix.b.c }}
    steps:
      - if: matrix.a != '1' && !(env.A == 'x')
        run: |
          pip install -r requirements.txt
      - run: >-
          conda install
          "pytorch=2.1=*cuda*"
)");
    folder.add("gitlab", R"(.a: &a {image: "x:${Y:-1}", before_script: [export Y=2]}
test:
  <<: *a
  extends: [.a, test]
  parallel: {matrix: [{P: [1, 2], Q: x}]}
  script: [pip install torch==$Y, [nvcc -V]]
)");
    folder.add("compose", R"(services:
  a: {build: {context: ., dockerfile: d, args: [X=${Y}]}, extends: b, environment: {E: 1}}
  b: {image: "x:${Z:-1}", extends: {service: a}}
)");
}

void write_shells(const Folder& folder) {
    folder.add("dockerfile", R"(# escape=\
ARG V=12.4
FROM --platform=linux/amd64 nvidia/cuda:${V}-devel AS a
ENV P=${V%.*} Q="x y"
SHELL ["bash", "-c"]
RUN --mount=type=bind,source=r.txt,target=/r.txt pip install -r /r.txt && \
    # why
    nvcc -arch=sm_75 a.cu
RUN <<EOF
make
EOF
FROM a
COPY --from=0 ["/a", "/b"]
)");
    folder.add("shell", R"(#!/bin/bash
f() { for v in 11.8 "12.4"; do case $v in 12.*|13) pip install torch==2.5.1+cu${v//./};; *) nvcc $1;; esac; done; }
A=(x 'y z'); A+=(w)
if [[ $X == a* && -n "${A[@]}" ]]; then f "${A[0]}"; elif [ "$V" = 1 ]; then :; else (export B=$(date); b); fi
cat <<-'EOF' | tee out && sudo -E env C=1 bash -c "nvcc \"$V\" ${V:-w}"
	text
	EOF
)");
    folder.add("makefile", R"(ARCH ?= sm_75
export FLAGS := -arch=$(ARCH) $(FLAGS)
%.ptx: %.cu | dir
	@nvcc $(FLAGS) $< -o $@ $$HOME \
	  -ptx # ptxguard: ignore=CC205 why
)");
    folder.add(
        "setup",
        R"x(setup(install_requires=['torch==2.5.1', f"x{y}"], flags=['-gencode', 'arch=compute_80,code=sm_80']))x");
    folder.add("cmake", R"(project(x LANGUAGES CUDA)
set(CMAKE_CUDA_ARCHITECTURES ${A} 90 CACHE STRING "")
target_compile_options(x PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-gencode arch=compute_86,code=sm_86>)
)");
    folder.add(
        "presets",
        R"({"configurePresets": [{"name": "a", "inherits": ["a", "b"], "cacheVariables": {"X": "80"}}]})");
    folder.add("gitignore", "a/**/b\n!c\n/d/\n**/e/f\n");
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "make_corpus: give a folder\n");
        return 2;
    }
    const std::filesystem::path folder = arguments[1];
    write_elf({folder / "elf"});
    write_pe({folder / "pe"});
    write_ld_cache({folder / "ld_cache"});
    write_fatbin({folder / "fatbin"});
    write_archive({folder / "archive"});
    write_cubin({folder / "cubin"});
    write_ptx({folder / "ptx"});
    write_payload({folder / "payload"});
    write_inspect({folder / "inspect"});
    write_shells({folder / "shells"});
    write_text({folder / "text"});
    write_package_recipes({folder / "recipes"});
    write_job_recipes({folder / "recipes"});
    write_formats({folder / "formats"});
    write_scenarios({folder / "scenarios"});
}
