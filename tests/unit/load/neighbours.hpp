// A trace as text, whole and with one file or variable of its machine left out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/fake_host.hpp"
#include "load/load.hpp"
#include "model/json.hpp"
#include "model/serialize.hpp"

namespace neighbours {

using namespace ptxguard;

struct Item {
    enum class Kind { file, link, variable } kind;
    std::string name, value;
};
using Machine = std::vector<Item>;
inline Item file(const std::string& path, const std::string& bytes = {}) {
    return {Item::Kind::file, path, bytes};
}
inline Item link(const std::string& path, const std::string& to) { return {Item::Kind::link, path, to}; }
inline Item variable(const std::string& name, const std::string& value) {
    return {Item::Kind::variable, name, value};
}

inline std::vector<std::string> lines_of_trace(const Machine& machine, std::size_t left_out, System system,
                                               const std::string& path, const LoadOptions& options) {
    static const Facts facts = Facts::embedded();
    FakeHost host(system);
    if (system == System::windows) host.foreign(true);
    for (std::size_t i = 0; i < machine.size(); ++i) {
        const Item& item = machine[i];
        if (i == left_out) continue;
        if (item.kind == Item::Kind::file) host.file(item.name, item.value);
        if (item.kind == Item::Kind::link) host.link(item.name, item.value);
        if (item.kind == Item::Kind::variable) host.env(item.name, item.value);
    }
    const Result<LoadTrace> trace = trace_file(host, facts, path, options);
    if (!trace) return {trace.trouble().text()};
    std::vector<std::string> lines{"trouble: " + trace->trouble};
    for (const LoadedFile& one : trace->libraries) lines.push_back(to_text(to_json(one), -1));
    return lines;
}

// "same" lines are those of the whole machine, which come first.
inline std::string text_of(const Machine& machine, System system, const std::string& path,
                           const LoadOptions& options) {
    const auto whole = lines_of_trace(machine, machine.size(), system, path, options);
    std::string text = path + "\n";
    for (const std::string& line : whole) text += line + "\n";
    for (std::size_t i = 0; i < machine.size(); ++i) {
        text += "without " + machine[i].name + "\n";
        for (const std::string& line : lines_of_trace(machine, i, system, path, options))
            if (std::find(whole.begin(), whole.end(), line) == whole.end()) text += "  " + line + "\n";
    }
    return text;
}

inline void compare(const std::string& name, const std::string& text) {
    const std::string file = "tests/unit/load/traces/" + name + ".txt";
    if (std::getenv("PTXGUARD_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << text;
    std::ifstream stream(file, std::ios::binary);
    const std::string golden{std::istreambuf_iterator<char>(stream), {}};
    CHECK_MESSAGE(golden == text, file, " differs; PTXGUARD_UPDATE_GOLDEN=1 rewrites it");
}

}  // namespace neighbours
