// Runs a fuzz target on every file of a folder, in a build without libFuzzer, so that a fixed crash stays
// fixed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// REPLAYED: "X(archive) X(cubin) ...", from CMake.
#define X(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
REPLAYED
#undef X

namespace {

struct Target {
    std::string_view name;
    int (*run)(const std::uint8_t* data, std::size_t size);
};
constexpr Target k_targets[] = {
#define X(name) {#name, fuzz_##name},
    REPLAYED
#undef X
};

}  // namespace

int main(int count, char** arguments) {
    std::vector<std::filesystem::path> files;
    std::error_code trouble;
    if (count == 3)
        for (const auto& entry : std::filesystem::directory_iterator(arguments[2], trouble))
            files.push_back(entry.path());
    const auto* target = std::find_if(std::begin(k_targets), std::end(k_targets), [&](const Target& one) {
        return count == 3 && one.name == arguments[1];
    });
    if (files.empty() || target == std::end(k_targets)) {
        std::fprintf(stderr, "replay: give a target of this program and a folder with files\n");
        return 2;
    }
    std::sort(files.begin(), files.end());
    target->run(nullptr, 0);
    for (const auto& file : files) {
        std::ifstream stream(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        std::printf("%s\n", file.filename().string().c_str());
        std::fflush(stdout);  // the last printed name is the file that crashed
        // A buffer of its exact size, so that a sanitizer sees a read beyond the end.
        const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
        target->run(exact.data(), exact.size());
    }
    std::printf("%zu files\n", files.size());
    return 0;
}
