// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cargo.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/toml.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_manifest_bytes{1u << 20, "bytes of a Cargo.toml", "this file"};

// -F cuda, --features "cuda metal", --features=cuda,metal
std::vector<std::string> features_of(const Command& command) {
    std::vector<std::string> features;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const Written& word = command.words[i];
        const bool begins = starts_with(word.text, "--features=");
        const bool follows = is_one_of(command.words[i - 1].text, {"-F", "--features"});
        if (!word.known || (!begins && !follows)) continue;
        const std::string_view names =
            std::string_view(word.text).substr(begins ? word.text.find('=') + 1 : 0);
        for (std::string& name : split(names, ", ")) features.push_back(std::move(name));
    }
    return features;
}

// Whether one of the features has "candle-core/cuda" in its list, or a feature that has.
bool enables_candle(std::vector<std::string> open, const Tree& features) {
    std::set<std::string> seen(open.begin(), open.end());
    while (!open.empty()) {
        const Tree& list = features[open.back()];
        open.pop_back();
        for (const Tree& one : list.items) {
            if (starts_with(one.text, "candle") && ends_with(one.text, "/cuda") && one.text.find('?') == npos)
                return true;
            if (seen.insert(one.text).second) open.push_back(one.text);
        }
    }
    return false;
}

// Newer releases of the crate build with cudaforge.
bool locks_bindgen_cuda(std::string_view lock) {
    const std::size_t crate = lock.find("\nname = \"candle-kernels\"\n");
    const std::size_t next = lock.find("[[package]]", crate);
    return crate != npos && lock.substr(crate, next - crate).find("\"bindgen_cuda") != npos;
}

}  // namespace

std::optional<Command> nvcc_of_crates(const Command& command, const ReadFile& files) {
    const std::size_t verb = command.words.size() > 2 && starts_with(command.words[1].text, "+") ? 2 : 1;
    if (!files || command.words.size() <= verb ||
        !is_one_of(command.words[verb].text, {"build", "b", "check", "test", "run", "clippy", "bench"}))
        return std::nullopt;
    std::vector<std::string> features = features_of(command);
    if (features.empty()) return std::nullopt;
    const Written& by = command.words.front();
    const auto manifest = files("Cargo.toml", by);
    if (!manifest) return std::nullopt;
    const auto root = read_toml(manifest->text, manifest->file, k_most_manifest_bytes);
    if (!root || !enables_candle(std::move(features), (*root)["features"])) return std::nullopt;
    const auto lock = files("Cargo.lock", by);
    if (!lock || !locks_bindgen_cuda(lock->text)) return std::nullopt;
    Command nvcc = command;
    nvcc.words = {by, by};
    nvcc.words[0].text = "nvcc";
    nvcc.words[1].text = "candle-kernels/src/affine.cu";
    return nvcc;
}

}  // namespace ptxguard::recipes
