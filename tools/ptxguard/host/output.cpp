// SPDX-License-Identifier: Apache-2.0
#include "host/output.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "host/paths.hpp"
#include "host/platform.hpp"
#include "model/visible.hpp"

namespace ptxguard::own {

namespace {

int first_failure = 0;  // errno of the first failure

void remember_failure() {
    if (first_failure == 0) first_failure = errno != 0 ? errno : EIO;
}

}  // namespace

// Does not create a mistyped folder.
std::optional<Trouble> write_output(const std::string& path, const std::string& bytes) {
    const std::string folder = parent_path(path);
    if (!folder.empty() && platform::status(folder).type == FileType::missing)
        return Trouble{path, "cannot be written", folder + " does not exist"};
    const FileStatus there = platform::status(path);
    if (!there.is_link && there.type != FileType::other) return write_file(path, bytes);
    // Opening "/dev/stdout" again would write at the start of the file, over the text report.
    if (platform::is_standard_output(path)) {
        print(bytes);
        return std::nullopt;
    }
    if (there.type == FileType::regular) {
        if (const auto real = platform::real_path(path)) return write_file(*real, bytes);
    }
    return platform::write_into(path, bytes);
}

void print(const std::string& text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) remember_failure();
}

std::optional<Trouble> finish_printing() {
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) remember_failure();
    if (first_failure == 0) return std::nullopt;
    return Trouble{"standard output", "cannot be written", std::generic_category().message(first_failure)};
}

void print_error(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void complain(const std::string& line) { std::fprintf(stderr, "%s\n", visible(line).c_str()); }

}  // namespace ptxguard::own
