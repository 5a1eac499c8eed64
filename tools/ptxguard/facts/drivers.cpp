// facts/drivers.json -> driver branches and the minimum drivers of the CUDA majors.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/forward_compat.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

void read_branch(FactRow& in, DriverBranch& branch) {
    FactReader& reader = in.reader();
    const Json& row = in.json();
    PTXGUARD_ALWAYS(in, branch.branch);
    PTXGUARD_FIELDS(in, branch.cuda, branch.ptx_max, branch.first_linux, branch.first_windows);
    auto detail = reader.source_words(row);
    for (const auto& jit : row["jit_measured"].items()) {
        const auto measured = reader.ptx(jit, "ptx_max");
        if (measured && branch.ptx_max && *measured != *branch.ptx_max)
            reader.complain("ptx_max", branch.ptx_max->text(),
                            "disagrees with what driver " + jit["driver"].as_string() + " accepted");
        detail = "measured with the JIT of driver " + jit["driver"].as_string();
    }
    branch.origin = reader.origin("branch " + std::to_string(branch.branch), detail);
}

void read_minimum(FactRow& in, DriverTable::Minimum& minimum) {
    in.fields("cuda_major, linux, windows", minimum.cuda_major, minimum.linux_, minimum.windows);
    minimum.origin = in.origin("minimum driver of CUDA " + std::to_string(minimum.cuda_major));
}

}  // namespace

DriverTable read_drivers(FactReader& reader, const Json& root) {
    DriverTable table;
    read_rows(reader, root["branches"], table.branches, [&](FactRow& in, DriverBranch& branch) {
        read_branch(in, branch);
        table.newest_number = std::max(table.newest_number, branch.branch);
        for (const auto& seen : in.json()["seen"].items())
            if (const auto driver = reader.needed_version(seen, "driver"))
                table.newest_number = std::max(table.newest_number, driver->major());
    });
    if (table.branches.empty()) reader.complain("branches", "", "are missing");
    std::sort(table.branches.begin(), table.branches.end(),
              [](const DriverBranch& a, const DriverBranch& b) { return a.branch < b.branch; });
    read_rows(reader, root["minimum_driver"], table.minimums, read_minimum);
    return table;
}

namespace {

// "rtx", "3090" are consecutive words of "nvidia", "geforce", "rtx", "3090", "ti".
bool holds(const std::vector<std::string>& name, const std::vector<std::string>& words) {
    return std::search(name.begin(), name.end(), words.begin(), words.end()) != name.end();
}

bool holds_any(const std::vector<std::string>& name, const std::vector<std::vector<std::string>>& all) {
    return any_of(all, [&](const auto& words) { return holds(name, words); });
}

void read_package(FactRow& in, CompatPackage& package) {
    FactReader& reader = in.reader();
    const Json& row = in.json();
    if (const auto cuda = reader.needed_version(row, "built_from_branch_of_cuda")) package.cuda = *cuda;
    for (const Version& branch : reader.versions(row, "works_on_base_branches"))
        package.base_branches.push_back(branch.major());
    package.origin = in.origin(reader.needed_word(row, "package"));
}

}  // namespace

CompatTable read_forward_compat(FactReader& reader, const Json& root) {
    CompatTable table;
    const Json& compat = root["forward_compatibility"];
    read_rows(reader, compat["table"], table.packages, read_package);
    const Json& names = compat["gpu_names"];
    for (const std::string& name : reader.words(names, "allowed"))
        table.allowed.push_back(plain_words(lower(name), ""));
    for (const std::string& name : reader.words(names, "refused"))
        table.refused.push_back(plain_words(lower(name), ""));
    table.archs_allowed = reader.archs(names, "archs_allowed");
    table.gpus = reader.origin("forward_compatibility", reader.source_words(names));
    return table;
}

const CompatTable& Facts::forward_compat() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->forward_compat();
}

const CompatPackage* compat_package(const Facts& facts, const Version& cuda) {
    return first_where(facts.forward_compat().packages,
                       [&](const CompatPackage& package) { return same_release(package.cuda, cuda); });
}

Known<bool> compat_allowed(const Facts& facts, const std::string& gpu_name, const Known<Arch>& arch) {
    const CompatTable& table = facts.forward_compat();
    const auto words = plain_words(lower(gpu_name), "");
    if (holds_any(words, table.refused)) return {false, table.gpus};
    if (holds_any(words, table.allowed)) return {true, table.gpus};
    const auto& allowed = table.archs_allowed;
    if (arch && contains(allowed, Arch{arch->number, 0})) return {true, table.gpus};
    return {};
}

}  // namespace ptxguard
