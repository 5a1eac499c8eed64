// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/machines.hpp"

#include <utility>

#include "host/paths.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

// "ubuntu-24.04-arm", "Dockerfile.arm": a word, unlike the other names.
bool has_word_arm(std::string_view name) {
    for (std::size_t at = name.find("arm"); at != npos; at = name.find("arm", at + 1)) {
        const auto separates = [&](std::size_t i) {
            return i >= name.size() || std::string_view("-_./:, ").find(name[i]) != npos;
        };
        if ((at == 0 || separates(at - 1)) && separates(at + 3)) return true;
    }
    return false;
}

std::string long_name_in(const std::string& name) {
    static const std::pair<const char*, const char*> k_long_names[] = {
        {"aarch64", "aarch64"}, {"arm64", "aarch64"}, {"ppc64le", "ppc64le"}, {"s390x", "s390x"},
        {"riscv64", "riscv64"}, {"x86_64", "x86_64"}, {"amd64", "x86_64"}};
    std::string found;
    for (const auto& [written, machine] : k_long_names) {
        if (name.find(written) == npos || found == machine) continue;
        if (!found.empty()) return "";
        found = machine;
    }
    return found;
}

}  // namespace

std::string machine_in(std::string_view name) {
    const std::string text = lower(std::string(name));
    const bool arm = has_word_arm(text) || text.find("graviton") != npos;
    const std::string found = long_name_in(text);
    if (!arm) return found;
    return found.empty() || found == "aarch64" ? "aarch64" : "";
}

std::string machine_of_image(std::string_view image, std::string_view tag) {
    const std::string name = lower(std::string(image)), of_tag = lower(std::string(tag));
    if (name.find("cross") != npos || of_tag.find("cross") != npos) return "";
    const std::string of_name = long_name_in(name);
    return of_name.empty() ? long_name_in(of_tag) : of_name;
}

Written platform_of_file(const std::string& file) {
    std::string machine = machine_in(file_name(file));
    if (machine.empty()) machine = machine_in(file_name(parent_path(file)));
    if (machine.empty() || machine == "x86_64") return {};
    return {"linux/" + (machine == "aarch64" ? "arm64" : machine), file};
}

std::string docker_arch(std::string_view platform) {
    const auto parts = split_fields(platform, '/');
    return std::string(parts.size() > 1 ? parts[1] : parts.empty() ? "" : parts[0]);
}

}  // namespace ptxguard::recipes
