// SPDX-License-Identifier: Apache-2.0
#include "load/composed_names.hpp"

#include "facts/libraries.hpp"
#include "formats/header_defines.hpp"
#include "host/paths.hpp"

namespace ptxguard {

namespace {

// "{library}{value}.dll"
std::string filled(std::string pattern, const std::string& library, const std::string& value) {
    for (const auto& [key, word] :
         {std::pair<std::string, std::string>{"{library}", library}, {"{value}", value}})
        if (const std::size_t at = pattern.find(key); at != std::string::npos)
            pattern.replace(at, key.size(), word);
    return pattern;
}

std::vector<std::string> names_of(const ComposedNames& composed, const std::string& header) {
    std::vector<std::string> names;
    for (const HeaderDefine& define : read_header_defines(header))
        for (const auto& [name, libraries] : composed.defines)
            for (const std::string& library : libraries)
                if (name == define.name && !define.value.empty())
                    names.push_back(filled(composed.pattern, library, define.value));
    names.insert(names.end(), composed.always.begin(), composed.always.end());
    return names;
}

}  // namespace

ComposedLibraries composed_libraries(const Host& host, const Facts& facts, const std::string& path,
                                     const std::vector<std::string>& site_packages) {
    constexpr std::size_t k_most_of_header = 1u << 20;
    for (const ComposedNames& composed : composed_names(facts, file_name(path), host.system()))
        for (const std::string& site : site_packages)
            for (const std::string& header : composed.headers)
                if (const auto text = host.read(join_path(site, header), k_most_of_header))
                    return {names_of(composed, *text), composed.asks_by};
    return {};
}

}  // namespace ptxguard
