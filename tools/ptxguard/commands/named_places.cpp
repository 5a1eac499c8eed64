// SPDX-License-Identifier: Apache-2.0
#include "commands/named_places.hpp"

#include <string_view>
#include <utility>

#include "commands/options.hpp"
#include "discover/selectors.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

bool is_of_this_machine(std::string_view option) { return option == "facts" || option == "root"; }

// `toolkit` may be nvcc itself, `driver-libs` the library, `host-exe` the program.
bool may_be_file(std::string_view option) {
    return option == "toolkit" || option == "driver-libs" || option == "host-exe";
}

// ptxguard creates the folder of --to.
bool has_to_exist(const OptionSpec& option) {
    return std::string_view(option.value) == "DIR" && std::string_view(option.name) != "to";
}

// Writes a relative path relative to the working folder again.
std::string nearest_to(const Host& host, const std::string& path) {
    if (is_absolute(path, host.system())) return nearest_folder(host, path, {});
    const auto here = host.real_path(".");
    const std::string nearest = here ? nearest_folder(host, join_path(*here, path), {}) : "";
    return here && starts_with(nearest, *here + "/") ? nearest.substr(here->size() + 1) : nearest;
}

// The directory that somebody wants who names the file of an image.
std::string how_to_unpack(const std::string& path) {
    static const std::pair<const char*, const char*> k_commands[] = {
        {".sif", "apptainer build --sandbox IMAGE "},    {".sqsh", "unsquashfs -d IMAGE "},
        {".squashfs", "unsquashfs -d IMAGE "},           {".tar", "mkdir IMAGE && tar -C IMAGE -xf "},
        {".tar.gz", "mkdir IMAGE && tar -C IMAGE -xf "}, {".tgz", "mkdir IMAGE && tar -C IMAGE -xf "}};
    for (const auto& [end, command] : k_commands)
        if (ends_with(lower(path), end)) return std::string("unpack it: ") + command + path;
    return "";
}

std::optional<Trouble> check_place(const Host& host, const std::string& path, const std::string& subject,
                                   bool file) {
    const FileStatus status = host.status(path);
    if (status.type == FileType::directory || (file && status.type != FileType::missing)) return std::nullopt;
    if (status.type != FileType::missing) return Trouble{subject, "is not a directory", how_to_unpack(path)};
    if (why_nowhere(status) == PathProblem::unreadable) return Trouble{subject, "cannot be read", ""};
    const std::string nearest = nearest_to(host, path);
    return Trouble{subject, "does not exist" + (nearest.empty() ? "" : ", did you mean '" + nearest + "'?"),
                   ""};
}

std::optional<Trouble> check_all(const Host& host, const Settings& settings, bool of_this_machine) {
    for (const OptionSpec& option : option_table()) {
        if (!has_to_exist(option) || is_of_this_machine(option.name) != of_this_machine) continue;
        for (const std::string& value : settings.all(option.name)) {
            const std::string subject = written(option.name, settings.origin(option.name)) + " " + value;
            const std::string path = of_this_machine ? value : judged_path(host, value);
            if (auto trouble = check_place(host, path, subject, may_be_file(option.name))) return trouble;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Trouble> check_own_places(const Settings& settings) {
    return check_all(*real_host(), settings, true);
}

std::optional<Trouble> check_places(const Host& host, const Settings& settings) {
    if (settings.has("from-cmake")) return std::nullopt;  // CC101 reports CMake's variable and its line
    return check_all(host, settings, false);
}

}  // namespace ptxguard
