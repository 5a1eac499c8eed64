// The checked system's loader, read from its file: the strings in it give its default folders, its cache and
// its release.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_search.hpp"

#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard {

namespace {

constexpr std::size_t k_most_of_loader = 16u << 20;
constexpr std::size_t k_most_of_cache = 64u << 20;
constexpr std::size_t k_most_of_cpuinfo = 4096;  // the first processor's part

std::vector<std::string> usual_loaders(std::uint16_t machine) {
    if (machine == k_em_aarch64) {
        return {"/lib/ld-linux-aarch64.so.1", "/usr/lib/ld-linux-aarch64.so.1",
                "/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1", "/lib64/ld-linux-aarch64.so.1"};
    }
    return {"/lib64/ld-linux-x86-64.so.2", "/usr/lib64/ld-linux-x86-64.so.2",
            "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/usr/lib/ld-linux-x86-64.so.2"};
}

// For a system whose ld.so is not available, from its folders.
std::vector<std::string> guessed_folders(const Host& host, std::uint16_t machine) {
    const std::string multiarch = machine == k_em_aarch64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
    for (const char* above : {"/lib/", "/usr/lib/"}) {
        if (is_folder(host, above + multiarch)) {
            return {"/lib/" + multiarch, "/usr/lib/" + multiarch, "/lib", "/usr/lib"};
        }
    }
    return {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
}

// The whole NUL-terminated string around the first `end` in the bytes.
std::string text_ending(std::string_view bytes, std::string_view end) {
    std::string wanted(end);
    wanted.push_back('\0');
    const std::size_t at = bytes.find(wanted);
    if (at == std::string_view::npos) return {};
    const std::size_t before = bytes.rfind('\0', at);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    return std::string(bytes.substr(start, at + end.size() - start));
}

std::string in_etc(std::string_view bytes, const char* name) {
    const std::string path = text_ending(bytes, name);
    return !path.empty() && path[0] == '/' ? path : std::string("/etc") + name;
}

void read_cache(const Host& host, LinuxSystem& system) {
    auto bytes = host.read(system.cache_path, k_most_of_cache);
    if (!bytes) return;
    system.cache_bytes = std::make_shared<const std::string>(std::move(*bytes));
    auto cache = read_ld_cache(*system.cache_bytes);
    if (cache) system.cache = std::move(*cache);  // the loader ignores a damaged one too
}

std::vector<std::string> names_in_preload_file(const Host& host, const std::string& path) {
    static constexpr Limit k_most_preloaded{4096, "names in ld.so.preload", "later ones"};
    const auto text = host.read(path);
    std::vector<std::string> names;
    if (!text) return names;
    for (const std::string& line : split(*text, "\n")) {
        for (std::string& name : split(line.substr(0, line.find('#')), ": \t\r"))
            if (!host.exceeds(k_most_preloaded, names.size() + 1, path)) names.push_back(std::move(name));
    }
    return names;
}

// "lib64" or Debian's "lib/x86_64-linux-gnu"; the first default folder has it.
std::string lib_token(const std::vector<std::string>& folders) {
    const std::string first = folders.empty() ? "/lib64" : folders.front();
    const std::size_t usr = starts_with(first, "/usr/") ? 5 : 1;
    const std::size_t at = first.rfind("/lib");
    // Of a store path such as /nix/store/...-glibc/lib only the end is used.
    return at == std::string::npos      ? "lib"
           : starts_with(first, "/lib") ? first.substr(usr)
                                        : first.substr(at + 1);
}

bool is_glibc(const std::string& interpreter) {
    const std::string name = file_name(interpreter);
    return starts_with(name, "ld-linux") || starts_with(name, "ld64.so") || starts_with(name, "ld-2.");
}

void find_loader(const Host& host, const std::string& interpreter, LinuxSystem& system) {
    std::vector<std::string> places = usual_loaders(system.machine);
    if (!interpreter.empty()) places = {interpreter};
    system.loader_soname = file_name(places.front());
    for (const std::string& place : places) {
        if (system.loader.empty() && is_file(host, place)) system.loader = place;
    }
    if (!system.loader.empty()) return;
    for (const std::uint16_t machine : {k_em_x86_64, k_em_aarch64})
        for (const std::string& place : usual_loaders(machine))
            system.of_other_machine =
                system.of_other_machine || (machine != system.machine && is_file(host, place));
}

}  // namespace

std::vector<std::string> folders_in_loader(std::string_view bytes) {
    constexpr std::size_t k_longest = 255, k_most = 64;
    std::vector<std::string> best;
    for (std::size_t at = bytes.find("/lib"); at != std::string_view::npos;) {
        // At most the length of a folder's text: the loader may be another one.
        const std::size_t reach = std::min(at, k_longest);
        const std::size_t before = bytes.substr(at - reach, reach).rfind('\0');
        std::size_t start = before != std::string_view::npos ? at - reach + before + 1
                            : reach == at                    ? 0
                                                             : bytes.size();
        std::vector<std::string> run;
        while (start < bytes.size() && bytes[start] == '/' && run.size() < k_most) {
            const std::size_t length = bytes.substr(start, k_longest + 1).find('\0');
            if (length == std::string_view::npos || length < 2 || bytes[start + length - 1] != '/') break;
            run.emplace_back(bytes.substr(start, length - 1));
            start += length + 1;
        }
        at = bytes.find("/lib", std::max(at + 1, run.empty() ? 0 : start));
        if (run.size() > best.size()) best = std::move(run);
    }
    return best;
}

LinuxSystem linux_system(const Host& host, std::uint16_t machine, const std::string& interpreter) {
    LinuxSystem system;
    system.machine = machine;
    if (!interpreter.empty() && !is_glibc(interpreter)) {
        const bool musl = starts_with(file_name(interpreter), "ld-musl");
        system.trouble = "its loader is " + interpreter + (musl ? " of musl" : "") +
                         ": only the rules of glibc's loader are implemented";
        return system;
    }
    find_loader(host, interpreter, system);
    const std::string musl = std::string("/lib/ld-musl-") + (machine == k_em_aarch64 ? "aarch64" : "x86_64");
    if (system.loader.empty() && is_file(host, musl + ".so.1")) {
        system.trouble = "this system has musl's loader, and only the rules of glibc's are implemented";
        return system;
    }
    std::string bytes;
    if (!system.loader.empty()) {
        auto read = host.read(system.loader, k_most_of_loader);
        if (read) bytes = std::move(*read);
    }
    system.default_folders = folders_in_loader(bytes);
    if (system.default_folders.empty()) system.default_folders = guessed_folders(host, machine);
    for (const std::string& folder : system.default_folders) {
        system.any_default_folder = system.any_default_folder || is_folder(host, folder);
    }
    system.lib = lib_token(system.default_folders);
    std::string cpuinfo;
    if (!host.foreign()) {
        auto read = host.read_range("/proc/cpuinfo", 0, k_most_of_cpuinfo);
        if (read) cpuinfo = std::move(*read);
    }
    system.platform = loader_platform(bytes, machine, cpuinfo);
    system.subfolders = loader_subfolders(bytes, machine, cpuinfo);
    system.cache_path = in_etc(bytes, "/ld.so.cache");
    read_cache(host, system);
    system.preload_file = names_in_preload_file(host, in_etc(bytes, "/ld.so.preload"));
    return system;
}

}  // namespace ptxguard
