// nanobind registers a function by storing the address of its code and then that of its name into one record.
// The code of a function that returns a number loads the number into the register of the first argument and
// calls PyLong_FromLong. So the number belongs to the nearest address of such code before each address of a
// name.
// SPDX-License-Identifier: Apache-2.0
#include "formats/returned_constants.hpp"

#include <algorithm>
#include <iterator>

#include "formats/elf.hpp"
#include "formats/returned_constants_code.hpp"
#include "formats/sections.hpp"

namespace ptxguard {
namespace {

constexpr std::uint64_t k_section_limit = 64u << 20;
constexpr std::size_t k_reach = 96;  // bytes of code between the two addresses of one record

std::optional<CodePiece> piece_of(const Source& source, const ElfFile& file, const char* name) {
    const ElfSection* section = file.section(name);
    const auto range = section_range(source, name);
    if (!section || !range || section->size > k_section_limit) return std::nullopt;
    return CodePiece{section->address, bytes_in(source, range, k_section_limit)};
}

// Address of each name that is a complete string there.
std::map<std::uint64_t, std::string> places_of(const CodePiece& texts,
                                               const std::vector<std::string>& names) {
    std::map<std::uint64_t, std::string> places;
    for (const std::string& name : names) {
        if (name.empty()) continue;
        const std::string text = name + '\0';
        for (std::size_t at = texts.bytes.find(text); at != std::string::npos;
             at = texts.bytes.find(text, at + 1))
            places[texts.address + at] = name;
    }
    return places;
}

struct Machine {
    std::uint16_t elf;
    void (*visit_references)(const CodePiece& code, const VisitReference& visit);
    Constant (*constant)(const CodePiece& code, std::uint64_t address);
};
constexpr Machine k_machines[] = {{k_em_x86_64, visit_references_x86_64, constant_x86_64},
                                  {k_em_aarch64, visit_references_aarch64, constant_aarch64}};

}  // namespace

std::map<std::string, std::uint32_t> returned_constants(const Source& source,
                                                        const std::vector<std::string>& names) {
    std::map<std::string, std::uint32_t> found;
    const auto file = read_elf(source);
    if (!file) return found;
    const auto machine = std::find_if(std::begin(k_machines), std::end(k_machines),
                                      [&](const Machine& one) { return one.elf == file->machine; });
    if (machine == std::end(k_machines)) return found;
    const auto texts = piece_of(source, *file, ".rodata"), code = piece_of(source, *file, ".text");
    if (!texts || !code) return found;
    const auto places = places_of(*texts, names);
    if (places.empty()) return found;
    Constant number;
    std::size_t number_at = 0;
    machine->visit_references(*code, [&](std::size_t at, std::uint64_t target) {
        if (const auto constant = machine->constant(*code, target)) {
            number = constant;
            number_at = at;
        } else if (const auto place = places.find(target); place != places.end()) {
            if (number && at - number_at <= k_reach) found.emplace(place->second, *number);
            number.reset();
        }
    });
    return found;
}

}  // namespace ptxguard
