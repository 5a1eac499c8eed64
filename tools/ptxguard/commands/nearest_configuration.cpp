// SPDX-License-Identifier: Apache-2.0
#include "commands/nearest_configuration.hpp"

#include "host/paths.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

using own::Author;

Trouble not_read(const std::string& path, Author author) {
    return {path,
            author == Author::another_user ? "is not used: it or its directory belongs to another user"
                                           : "is not used: others may write it or its directory",
            "use --config " + path + " to apply it"};
}

// A pyproject.toml without our table is silently skipped.
bool may_be_ours(const std::string& name, const Result<std::string>& text) {
    return name != "pyproject.toml" || !text || text->find("tool.ptxguard") != std::string::npos;
}

std::string home_of(const Host& machine) {
    const auto home = machine.env(machine.system() == System::windows ? "USERPROFILE" : "HOME");
    const auto real = home && !home->empty() ? machine.real_path(*home) : Result<std::string>(Trouble{});
    return real ? *real : std::string();
}

}  // namespace

Result<NearestConfiguration> nearest_configuration(
    const Host& machine, const std::string& start,
    const std::function<Author(const std::string& path)>& author_of) {
    NearestConfiguration nearest;
    const std::string home = home_of(machine);
    for (std::string folder = start; !folder.empty();) {
        for (const char* name : {".ptxguard.toml", "ptxguard.toml", "pyproject.toml"}) {
            const std::string path = join_path(folder, name);
            const FileType type = machine.status(path).type;
            if (type == FileType::missing) continue;
            auto text = type == FileType::regular ? machine.read(path)
                                                  : Result<std::string>(Trouble{path, why_no_file(type), ""});
            if (!may_be_ours(name, text)) continue;
            const Author author = author_of(path);
            if (author != Author::we) {
                nearest.passed_over.push_back(not_read(path, author));
                continue;
            }
            if (!text) return text.trouble();
            nearest.path = path;
            nearest.text = std::move(*text);
            return nearest;
        }
        const bool repository = machine.status(join_path(folder, ".git")).type != FileType::missing;
        const std::string parent = parent_path(folder);
        if (repository || folder == home || parent == folder ||
            author_of(join_path(folder, "ptxguard.toml")) != Author::we)
            break;
        folder = parent;
    }
    return nearest;
}

}  // namespace ptxguard
