// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "host/input.hpp"
#include "host/platform.hpp"
#include "host/troubles.hpp"
#include "host/wide_windows.hpp"

namespace ptxguard::own {

Result<Input> open_input(const std::string& path) {
    const bool is_standard = path == "-";
    const std::string name = is_standard ? "standard input" : path;
    const auto file = std::make_shared<platform::Handle>(
        is_standard ? INVALID_HANDLE_VALUE
                    : CreateFileW(platform::wide_path(path).c_str(), GENERIC_READ,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!is_standard && !*file) return cannot_be_read(name, platform::words_of(GetLastError()));
    return Input{[file, name, is_standard](char* to, std::size_t most,
                                           std::optional<Trouble>& trouble) -> std::size_t {
        constexpr std::size_t k_at_once = 1u << 30;
        const HANDLE handle = is_standard ? GetStdHandle(STD_INPUT_HANDLE) : file->get();
        DWORD got = 0;
        if (ReadFile(handle, to, static_cast<DWORD>(std::min(most, k_at_once)), &got, nullptr)) return got;
        const DWORD error = GetLastError();
        if (error != ERROR_BROKEN_PIPE && error != ERROR_HANDLE_EOF)
            trouble = cannot_be_read(name, platform::words_of(error));
        return 0;
    }};
}

}  // namespace ptxguard::own
