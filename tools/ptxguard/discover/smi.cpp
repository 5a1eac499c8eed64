// A label counts only if a number follows it directly (not "CUDA Version: N/A").
// SPDX-License-Identifier: Apache-2.0
#include "discover/driver_libraries.hpp"

#include "host/paths.hpp"

namespace ptxguard {
namespace {

std::optional<Version> labelled(const std::string& text, const std::string& label) {
    for (std::size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + 1)) {
        const std::size_t start = text.find_first_not_of(' ', at + label.size());
        if (start == std::string::npos) continue;
        if (const auto version =
                parse_version(text.substr(start, text.find_first_of(" |\t\r\n", start) - start)))
            return version;
    }
    return std::nullopt;
}

}  // namespace

SmiBanner parse_smi_banner(const std::string& text) {
    SmiBanner banner;
    banner.driver = labelled(text, "Driver Version:");
    if (!banner.driver) banner.driver = labelled(text, "KMD Version:");
    banner.cuda = labelled(text, "CUDA UMD Version:");
    if (!banner.cuda) banner.cuda = labelled(text, "CUDA Version:");
    return banner;
}

std::vector<std::pair<std::string, Arch>> parse_smi_gpus(const std::string& text) {
    std::vector<std::pair<std::string, Arch>> gpus;
    for (const auto& line : split(text, "\r\n")) {
        const std::size_t comma = line.rfind(',');
        if (comma == std::string::npos) continue;
        const auto arch = parse_arch(trim(line.substr(comma + 1)));
        const std::string name = trim(line.substr(0, comma));
        if (arch && !name.empty()) gpus.emplace_back(name, *arch);
    }
    return gpus;
}

std::optional<Version> parse_kernel_module(const std::string& text) {
    for (const auto& line : split(text, "\r\n")) {
        if (line.find("Kernel Module") == std::string::npos) continue;
        for (const auto& word : split(line, " \t")) {
            const auto version = parse_version(word);
            if (version && version->numbers.size() >= 2 && version->major() >= 100) return version;
        }
    }
    return std::nullopt;
}

}  // namespace ptxguard
