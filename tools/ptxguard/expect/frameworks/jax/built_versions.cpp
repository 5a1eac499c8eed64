// The versions that JAX's CUDA part was built with. _versions.so returns the headers' version numbers; it is
// read without loading it.
// SPDX-License-Identifier: Apache-2.0

#include "expect/cuda_names.hpp"
#include "expect/frameworks/jax/jax.hpp"
#include "formats/returned_constants.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"

namespace ptxguard::jax {
namespace {

// "88" 8.8, "805" 8.0.5, "8" 8: one digit each.
std::optional<Version> dotted(const std::string& digits) {
    if (!all_digits(digits) || digits.size() > 3) return std::nullopt;
    std::string text(1, digits[0]);
    for (std::size_t i = 1; i < digits.size(); ++i) text += std::string(".") + digits[i];
    return parse_version(text);
}

std::optional<Version> of_numbers(std::uint32_t major, std::uint32_t minor,
                                  std::optional<std::uint32_t> patch) {
    const std::string text = std::to_string(major) + "." + std::to_string(minor) +
                             (patch ? "." + std::to_string(*patch) : std::string());
    const auto version = parse_version(text);
    return version && plausible(*version) ? version : std::nullopt;
}

}  // namespace

LocalTag read_local_tag(const std::string& tag) {
    LocalTag read;
    for (const std::string& word : split(tag, "._-")) {
        if (starts_with(word, "cuda") && all_digits(word.substr(4))) {
            const std::string digits = word.substr(4);
            read.cuda = digits.size() == 2   ? parse_version(digits)
                        : digits.size() == 3 ? parse_version(digits.substr(0, 2) + "." + digits.substr(2))
                                             : std::nullopt;
        }
        if (starts_with(word, "cudnn")) read.cudnn = dotted(word.substr(5));
    }
    return read;
}

std::optional<Version> cuda_of_number(std::uint32_t number) {
    return of_numbers(number / 1000, number % 1000 / 10, std::nullopt);
}

std::optional<Version> cudnn_of_number(std::uint32_t number) {
    if (number < 10000) return of_numbers(number / 1000, number % 1000 / 100, number % 100);
    return of_numbers(number / 10000, number % 10000 / 100, number % 100);
}

void read_built_versions(const Host& host, const std::string& folder, Expectation& expectation) {
    const std::string path = join_path(folder, "_versions.so");
    const auto library = host.open(path);
    if (!library) return;
    const char *cuda = "cuda_runtime_build_version", *cudnn = "cudnn_build_version";
    const auto numbers = returned_constants(*library, {cuda, cudnn});
    const auto origin = [&](const char* function) {
        Origin from = Origin::from_library(path, std::string(function) + "() of " + path);
        from.certainty = Certainty::read;
        return from;
    };
    if (const auto found = numbers.find(cuda); found != numbers.end() && !expectation.cuda)
        if (const auto version = cuda_of_number(found->second)) expectation.cuda = {*version, origin(cuda)};
    if (const auto found = numbers.find(cudnn); found != numbers.end() && !expectation.cudnn)
        if (const auto version = cudnn_of_number(found->second))
            expectation.cudnn = {*version, origin(cudnn)};
}

}  // namespace ptxguard::jax
