// SPDX-License-Identifier: Apache-2.0
#include "load/module_head.hpp"

#include "formats/elf.hpp"

namespace ptxguard {

ModuleHead module_head(const Host& host, const std::string& path) {
    ModuleHead head;
    const auto source = host.open(path);
    const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
    auto dynamic = file ? read_elf_dynamic(*source, *file) : Result<ElfDynamic>(Trouble{});
    if (!dynamic || !dynamic->is_dynamic || file->end_of_load() > source->size) return head;
    head.read = true;
    head.machine = file->machine;
    head.needed = std::move(dynamic->needed);
    return head;
}

std::string machine_of_file(const Host& host, const std::string& path) {
    constexpr std::size_t k_head = 64;
    const auto source = host.open(path);
    return source ? elf_machine(read_bytes(*source, 0, k_head)) : std::string();
}

bool holds_device_code(const Host& host, const std::string& path) {
    const auto source = host.open(path);
    const auto file = source ? read_elf(*source) : Result<ElfFile>(Trouble{});
    return file && (file->section(".nv_fatbin") || file->section("__nv_relfatbin"));
}

bool defines(const Host& host, const std::string& path, const std::string& symbol) {
    const auto source = host.open(path);
    const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
    return file && find_elf_symbol(*source, *file, symbol);
}

}  // namespace ptxguard
