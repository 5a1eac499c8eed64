// Writes the seeds of the fuzz targets: small files that hold one of everything, and damaged ones. Files that
// fuzzing found lie beside them under other names and stay.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "../unit/formats/build_ld_cache.hpp"
#include "../unit/formats/build_pe_tables.hpp"

namespace {

struct Folder {
    std::filesystem::path path;

    void add(const std::string& name, const std::string& bytes) const {
        std::filesystem::create_directories(path);
        std::ofstream(path / name, std::ios::binary) << bytes;
    }
    // The same file, cut and with one field changed.
    void add_damaged(const std::string& name, const std::string& bytes, std::size_t field) const {
        add(name, bytes);
        add(name + "-cut", bytes.substr(0, bytes.size() * 2 / 3));
        std::string poked = bytes;
        built::put(poked, field, 0xfffffff0, 4);
        add(name + "-poked", poked);
    }
};

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
}
