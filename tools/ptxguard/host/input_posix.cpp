// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>

#include "host/descriptor_posix.hpp"
#include "host/input.hpp"
#include "host/troubles.hpp"

namespace ptxguard::own {

Result<Input> open_input(const std::string& path) {
    const bool is_standard = path == "-";
    const std::string name = is_standard ? "standard input" : path;
    const auto file = std::make_shared<platform::Descriptor>(
        is_standard ? ::dup(0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!*file) return cannot_be_read(name, platform::words_of(errno));
    struct stat status = {};
    if (::fstat(file->get(), &status) == 0 && S_ISDIR(status.st_mode))
        return cannot_be_read(name, "Is a directory");
    return Input{[file, name](char* to, std::size_t most, std::optional<Trouble>& trouble) -> std::size_t {
        for (;;) {
            const ssize_t got = ::read(file->get(), to, most);
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno == EINTR) continue;
            trouble = cannot_be_read(name, platform::words_of(errno));
            return 0;
        }
    }};
}

}  // namespace ptxguard::own
