// Runs one fuzz target on every file of a folder, in a build without libFuzzer, so that a fixed crash stays
// fixed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments) {
    std::vector<std::filesystem::path> files;
    std::error_code trouble;
    if (count == 2)
        for (const auto& entry : std::filesystem::directory_iterator(arguments[1], trouble))
            files.push_back(entry.path());
    if (files.empty()) {
        std::fprintf(stderr, "replay: give a folder with files\n");
        return 2;
    }
    std::sort(files.begin(), files.end());
    LLVMFuzzerTestOneInput(nullptr, 0);
    for (const auto& file : files) {
        std::ifstream stream(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        std::printf("%s\n", file.filename().string().c_str());
        std::fflush(stdout);  // the last printed name is the file that crashed
        // A buffer of its exact size, so that a sanitizer sees a read beyond the end.
        const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
        LLVMFuzzerTestOneInput(exact.data(), exact.size());
    }
    std::printf("%zu files\n", files.size());
    return 0;
}
