// An editable install and a package that only requires others have no files except their record: they are not
// half removed.
// SPDX-License-Identifier: Apache-2.0
#include "expect/completing.hpp"

#include <algorithm>

#include "expect/filling.hpp"
#include "expect/pins.hpp"
#include "facts/compared.hpp"
#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

constexpr int k_files_asked_for = 20;

// "Linux" of manylinux2014_x86_64, "Windows" of win_amd64, "macOS" of macosx_11_0_arm64; empty for `any`.
std::string system_of_tag(std::string_view platform) {
    if (platform.find("linux") != std::string_view::npos) return "Linux";
    if (starts_with(platform, "win")) return "Windows";
    return starts_with(platform, "macosx") ? "macOS" : "";
}

const char* name_of(System system) { return system == System::windows ? "Windows" : "Linux"; }

// "aarch64" of manylinux_2_28_aarch64, in the names of formats/; empty for other systems.
std::string machine_of_tag(std::string_view platform) {
    constexpr std::pair<const char*, const char*> k_machines[] = {
        {"_x86_64", "x86_64"}, {"_aarch64", "aarch64"}, {"_ppc64le", "ppc64le"}, {"_i686", "x86"}};
    if (system_of_tag(platform) == "Linux")
        for (const auto& [ending, machine] : k_machines)
            if (ends_with(platform, ending)) return machine;
    return "";
}

// The platform that a package was built for; empty if not known, or if there are several.
struct Platform {
    std::string system, machine;
    bool glibc = false;  // a manylinux wheel
};

Platform platform_of_wheel(const Host& host, const std::string& metadata_path) {
    Platform only;
    bool first = true;
    for (const std::string& tag : wheel_tags(host, parent_path(metadata_path))) {
        const std::string platform = tag.substr(tag.rfind('-') + 1);
        const std::string system = system_of_tag(platform), machine = machine_of_tag(platform);
        if (system.empty() || (!first && system != only.system)) return {};
        if (first) only = {system, machine, true};
        only.glibc = only.glibc && starts_with(platform, "manylinux");
        if (machine != only.machine) only.machine.clear();
        first = false;
    }
    return only;
}

std::string machine_in(const Host& host, const std::string& path) {
    const auto head = host.read_range(path, 0, 64);
    return head ? elf_machine(*head) : "";
}

// For packages without a record.
Platform platform_of_modules(const Host& host, const std::string& folder) {
    bool linux_ = false, windows = false;
    std::string machine;
    for (const std::string& place : {folder, join_path(folder, "lib")}) {
        for (const DirectoryEntry& entry : entries_in(host, place)) {
            const std::string name = lower(entry.name);
            const bool library = ends_with(name, ".so") || name.find(".so.") != std::string::npos;
            windows = windows || ends_with(name, ".pyd") || ends_with(name, ".dll");
            linux_ = linux_ || library;
            if (library && machine.empty()) machine = machine_in(host, join_path(place, entry.name));
        }
    }
    if (linux_ == windows) return {};
    return linux_ ? Platform{"Linux", machine, false} : Platform{"Windows", "", false};
}

Platform platform_of(const Host& host, const SitePlace& place, const FrameworkReader& reader,
                     const Expectation& expectation) {
    for (const InstalledWheel& wheel : installed_wheels(host, place.folder, reader.distributions)) {
        const auto version = parse_version(wheel.metadata.version);
        if (expectation.version && (!version || *version != *expectation.version)) continue;
        const Platform platform = platform_of_wheel(host, wheel.path);
        if (!platform.system.empty()) return platform;
    }
    return platform_of_modules(host, expectation.path);
}

// Alpine, Void: musl's loader is there, and no loader of glibc (gcompat brings one by that name).
bool has_only_musl(const Host& host) {
    bool musl = false;
    for (const char* folder : {"/lib", "/lib64", "/usr/lib", "/usr/lib64"}) {
        for (const DirectoryEntry& entry : entries_in(host, folder)) {
            if (starts_with(entry.name, "ld-linux") || starts_with(entry.name, "ld64.so")) return false;
            musl = musl || starts_with(entry.name, "ld-musl-");
        }
    }
    return musl;
}

// The checked Linux system's machine type, from the shell installed on it.
std::string machine_of_system(const Host& host) {
    if (host.system() != System::linux_) return "";
    const std::string machine = machine_in(host, "/bin/sh");
    return machine.empty() ? machine_in(host, "/usr/bin/env") : machine;
}

// Files in a record's list other than the record itself and scripts.
std::vector<std::string> first_files(const std::vector<RecordedFile>& recorded,
                                     const std::string& own_folder) {
    std::vector<std::string> files;
    for (const RecordedFile& entry : recorded) {
        const std::string& file = entry.path;
        const bool other = file.empty() || file[0] == '"' || starts_with(file, "..") || file[0] == '/' ||
                           starts_with(file, own_folder + "/") || file.find('/') == std::string::npos ||
                           file.find("__pycache__") != std::string::npos;
        if (!other) files.push_back(file);
        if (files.size() == k_files_asked_for) break;
    }
    return files;
}

// 2.9.1 of 2.9.1+cu128 and of 2.9.1.post2
Version numbers_of(const Version& version) {
    constexpr std::size_t k_most = 3;
    Version numbers;
    numbers.numbers.assign(version.numbers.begin(),
                           version.numbers.begin() + std::min(version.numbers.size(), k_most));
    return numbers;
}

}  // namespace

void check_platform(const Host& host, const SitePlace& place, const FrameworkReader& reader,
                    Expectation& expectation) {
    if (expectation.how == Installation::editable || !expectation.trouble.empty()) return;
    const Platform platform = platform_of(host, place, reader, expectation);
    if (platform.machine != "x86_64") expectation.machine = platform.machine;
    if (!platform.system.empty() && platform.system != name_of(host.system())) {
        distrust(expectation, expectation.path + " is a package for " + platform.system +
                                  ", this system is " + name_of(host.system()));
        return;
    }
    if (platform.glibc && host.system() == System::linux_ && has_only_musl(host)) {
        distrust(expectation, expectation.path + " is a package for glibc (manylinux), this system has musl");
        return;
    }
    const std::string machine = platform.machine.empty() ? "" : machine_of_system(host);
    if (!machine.empty() && machine != platform.machine)
        distrust(expectation, expectation.path + " is a package for " + platform.machine +
                                  ", this system runs on " + machine);
}

void compare_with_record(const Host& host, Expectation& expectation) {
    if (expectation.how != Installation::wheel || expectation.site.empty() || !expectation.version ||
        !expectation.trouble.empty())
        return;
    const auto records = installed_wheels(host, expectation.site, {expectation.package});
    if (records.size() != 1) return;
    const Known<Version> recorded = records.front().version();
    if (!recorded || begins_as(*recorded, numbers_of(*expectation.version))) return;
    expectation.disagreements.push_back(
        {k_record, expectation.version->text, recorded->text, expectation.version.origin, recorded.origin});
    expectation.asks_for.clear();
}

std::vector<Expectation> half_removed(const Host& host, const SitePlace& place,
                                      const FrameworkReader& reader) {
    const auto& packages = reader.distributions;
    const bool any =
        any_of(place.records, [&](const std::string& name) { return names_package(packages, name); });
    if (!any) return {};
    for (const InstalledWheel& wheel : installed_wheels(host, place.folder, packages)) {
        const std::string folder = parent_path(wheel.path);
        const auto files = first_files(recorded_files(host, wheel), file_name(folder));
        const bool none_there = !files.empty() && none_of(files, [&](const std::string& file) {
            return is_file(host, join_path(place.folder, file));
        });
        if (!none_there) continue;
        Expectation expectation;
        expectation.framework = reader.component;
        expectation.package = wheel.metadata.name;
        expectation.path = folder;
        expectation.how = Installation::wheel;
        expectation.version = wheel.version();
        expectation.trouble = "half removed: the record of " + wheel.metadata.name + " " +
                              wheel.metadata.version + " is there, its files (" + files.front() +
                              " ...) are not";
        return {std::move(expectation)};
    }
    return {};
}

}  // namespace ptxguard
