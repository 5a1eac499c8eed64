// A script that contains only `exec /path/nvcc "$@"` is parsed; any other launcher (ccache links, longer
// scripts) is run with `nvcc --dryrun`, whose TOP= line is the root (16 ms, so only if needed).
// SPDX-License-Identifier: Apache-2.0
#include "discover/layout.hpp"

#include "formats/sections.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/conda.hpp"

namespace ptxguard {
namespace {

constexpr std::chrono::milliseconds k_nvcc_time_limit{5000};

std::string root_of_bin(const Host& host, const std::string& bin) {
    return normal_path(join_path(bin, ".."), host.system());
}

Site site_at(const Host& host, const std::string& nvcc, const std::string& bin) {
    Site site;
    site.nvcc = nvcc;
    site.bin = bin;
    site.root = root_of_bin(host, bin);
    site.real_nvcc = join_path(bin, executable_name("nvcc", host.system()));
    if (nvcc != site.real_nvcc) site.wrappers.push_back(nvcc);
    site.identity = folder_identity(host, bin);
    return site;
}

// The target of a script whose only statement is `exec TARGET "$@"`.
std::string plain_exec_target(const std::string& script) {
    std::string target;
    for (const auto& raw : split(script, "\r\n")) {
        const std::string line = trim(raw);
        if (line.empty() || line.front() == '#') continue;
        if (!target.empty() || !starts_with(line, "exec ") || !ends_with(line, " \"$@\"")) return {};
        target = trim(std::string_view(line).substr(5, line.size() - 5 - 5));
        if (target.size() > 1 && target.front() == '"' && target.back() == '"')
            target = target.substr(1, target.size() - 2);
        if (target.find_first_of(" \t\"'$`;|&<>()") != std::string::npos) return {};
    }
    return target;
}

// For a tree whose programs cannot be run: the first absolute path in the script that ends in nvcc and
// exists.
std::string mentioned_nvcc(const Host& host, const std::string& script) {
    for (const auto& word : split(script, " \t\r\n\"'=;()"))
        if (is_absolute(word, host.system()) && file_name(word) == "nvcc" && is_file(host, word)) return word;
    return {};
}

// The same for `$HERE/../../cuda/12.5/bin/nvcc`, where HERE is the script's own folder, and for the nvcc
// launcher of an HPC SDK's toolkits.
std::string nvcc_beside_script(const Host& host, const std::string& path, const std::string& script) {
    const std::string bin = parent_path(path);
    for (const auto& word : split(script, " \t\r\n\"'=;()")) {
        const std::size_t slash = word.find('/');
        if (word.empty() || word[0] != '$' || slash == std::string::npos || file_name(word) != "nvcc")
            continue;
        const std::string target = normal_path(join_path(bin, word.substr(slash + 1)), host.system());
        if (target != path && is_file(host, target)) return target;
    }
    if (!ends_with(bin, "/compilers/bin")) return {};
    const std::string root = hpc_toolkit(host, parent_path(parent_path(bin)));
    return root.empty() ? root : join_path(root, "bin/nvcc");
}

// Links are resolved one at a time: nvcc uses the profile next to the path by which it was called.
NvccFile look_at_program(const Host& host, const std::string& path) {
    const std::string bin = parent_path(path);
    if (is_file(host, join_path(bin, "nvcc.profile"))) return {site_at(host, path, bin), false};
    const auto real = host.real_path(path);
    if (!real || *real == path || parent_path(*real) == bin) return {site_at(host, path, bin), false};
    const std::string real_bin = parent_path(*real);
    if (!is_file(host, join_path(real_bin, "nvcc.profile"))) {
        NvccFile answer{site_at(host, path, real_bin), false};
        answer.site.nvcc = path;
        return answer;
    }
    NvccFile answer{site_at(host, path, real_bin), !host.foreign()};  // does this nvcc follow the link?
    answer.site.wrappers = {path};
    return answer;
}

std::string words_for(const ProcessResult& result) {
    switch (result.state) {
        case ProcessResult::State::timed_out: return "does not answer within 5 s";
        case ProcessResult::State::crashed: return "crashes";
        case ProcessResult::State::not_started: return "cannot be started: " + result.trouble;
        case ProcessResult::State::exited: break;
    }
    std::string words = "fails with --dryrun";
    if (result.exit_code) words += " (exit code " + std::to_string(result.exit_code) + ")";
    const std::vector<std::string> lines = split(result.err.empty() ? result.out : result.err, "\r\n");
    return words + (lines.empty() ? "" : ": " + trim(lines.front()).substr(0, 300));
}

std::string dry_run_value(const std::string& text, const std::string& name) {
    const std::string marker = "#$ " + name + "=";
    for (const auto& line : split(text, "\r\n"))
        if (starts_with(line, marker)) return trim(std::string_view(line).substr(marker.size()));
    return {};
}

}  // namespace

std::string folder_identity(const Host& host, const std::string& folder) {
    const FileStatus status = host.status(folder);
    if (status.inode != 0) return std::to_string(status.device) + ":" + std::to_string(status.inode);
    const auto real = host.real_path(folder);
    return real ? *real : normal_path(folder, host.system());
}

namespace {

std::string nvcc_of_script(const Host& host, const std::string& path) {
    const auto text = host.read(path, 1u << 16);
    if (!text) return {};
    std::string target = plain_exec_target(*text);
    if (target.empty() && host.foreign()) target = mentioned_nvcc(host, *text);
    if (target.empty() && host.foreign()) target = nvcc_beside_script(host, path, *text);
    return target;
}

}  // namespace

NvccFile look_at_nvcc(const Host& host, const std::string& path) {
    const auto head = host.read_range(path, 0, 4);
    if (!head) {
        NvccFile answer{site_at(host, path, parent_path(path)), false};
        answer.site.trouble = "cannot be read: " + head.trouble().cause;
        return answer;
    }
    const auto real = host.real_path(path);
    const std::string real_name = lower(real ? file_name(*real) : file_name(path));
    const bool named_nvcc = starts_with(real_name, "nvcc");
    if (program_format(*head) == ProgramFormat::script) {
        const std::string target = nvcc_of_script(host, path);
        if (!target.empty() && target != path && starts_with(file_name(target), "nvcc") &&
            is_file(host, target)) {
            const auto inner = host.read_range(target, 0, 4);
            if (inner && program_format(*inner) != ProgramFormat::script) {
                NvccFile answer = look_at_program(host, target);
                answer.site.wrappers.insert(answer.site.wrappers.begin(), path);
                answer.site.nvcc = path;
                return answer;
            }
        }
        return {site_at(host, path, parent_path(path)), !host.foreign()};
    }
    if (named_nvcc) return look_at_program(host, path);
    return {site_at(host, path, parent_path(path)), !host.foreign()};  // ccache, a launcher
}

Command dry_run_command(const std::string& nvcc) {
    Command command;
    command.argv = {nvcc, "--dryrun", "-x", "cu", "-c", "ptxguard_dry_run.cu"};
    command.environment = {
        {"LC_ALL", "C"}, {"NVCC_PREPEND_FLAGS", std::nullopt}, {"NVCC_APPEND_FLAGS", std::nullopt}};
    command.time_limit = k_nvcc_time_limit;
    return command;
}

Site site_from_dry_run(const Host& host, const std::string& path, const ProcessResult& result) {
    const std::string text = result.err + "\n" + result.out;
    const std::string here = dry_run_value(text, "_HERE_"), top = dry_run_value(text, "TOP");
    Site site = site_at(host, path, here.empty() ? parent_path(path) : here);
    if (here.empty()) {
        site.trouble = words_for(result);
        if (result.state == ProcessResult::State::not_started) site.fault = PartFault::not_started;
        return site;
    }
    if (!top.empty()) {
        site.root = normal_path(top, host.system());
        // Split layouts: the root is the profile's, unless it is only the folder above nvcc.
        if (folder_identity(host, site.root) == folder_identity(host, root_of_bin(host, site.bin)))
            site.root = root_of_bin(host, site.bin);
        return site;
    }
    if (is_file(host, join_path(site.bin, "nvcc.profile"))) return site;  // Debian's profile sets no TOP
    // No profile: the link is not followed, so this nvcc finds neither its headers nor cicc.
    if (const auto real = host.real_path(path)) {
        const std::string real_bin = parent_path(*real);
        if (real_bin != site.bin) {
            site = site_at(host, path, real_bin);
            site.wrappers = {path};
        }
    }
    site.fault = PartFault::called_through_link;
    site.trouble =
        "is called through a link without nvcc.profile beside it: it finds neither cicc nor its headers";
    return site;
}

NvccFile look_at_root(const Host& host, const std::string& root) {
    const System system = host.system();
    const std::string bin = join_path(root, "bin");
    const std::string nvcc = join_path(bin, executable_name("nvcc", system));
    const FileStatus status = host.status(nvcc);
    if (status.type == FileType::regular || status.type == FileType::unreadable) {
        NvccFile answer = look_at_nvcc(host, nvcc);
        return answer;
    }
    NvccFile answer;
    Site& site = answer.site;
    site.bin = bin;
    if (is_file(host, join_path(bin, executable_name("ptxas", system)))) {
        site.root = root;
        site.identity = folder_identity(host, bin);
        return answer;
    }
    if (root == "/usr" || root == "/usr/local" || root == "/") return answer;
    const std::string target = target_folder(host, root);
    for (const auto& base : {root, target.empty() ? root : join_path(root, target)})
        for (const char* sign : {"include/cuda_runtime_api.h", "lib64/libcudart.so", "lib/libcudart.so",
                                 "lib64/libcudart.so.13", "lib64/libcudart.so.12", "lib64/libcudart.so.11.0"})
            if (!site.found() && is_file(host, join_path(base, sign))) site.root = root;
    site.identity = folder_identity(host, root);
    return answer;
}

std::string hpc_toolkit(const Host& host, const std::string& root) {
    const std::string cuda = join_path(root, "cuda");
    if (look_at_root(host, cuda).site.found()) return cuda;
    std::string newest;
    std::optional<Version> best;
    for (const DirectoryEntry& entry : entries_in(host, cuda)) {
        const auto version = parse_version(entry.name);
        if (!version || (best && *version < *best) ||
            !look_at_root(host, join_path(cuda, entry.name)).site.found())
            continue;
        best = version;
        newest = join_path(cuda, entry.name);
    }
    return newest;
}

std::string target_folder(const Host& host, const std::string& root) {
    if (host.system() == System::windows) return {};
    for (const char* name : {"x86_64-linux", "sbsa-linux", "aarch64-linux"})
        if (is_folder(host, join_path(join_path(root, "targets"), name)))
            return std::string("targets/") + name;
    return {};
}

NvccProfile profile_of(const Host& host, const Site& site) {
    const auto text = host.read(join_path(site.bin, "nvcc.profile"), 1u << 16);
    if (!text) return {};
    const std::string target = target_folder(host, root_of_bin(host, site.bin));
    return parse_profile(*text,
                         {{"_HERE_", site.bin},
                          {"_THERE_", site.bin},
                          {"_NVVM_BRANCH_", "nvvm"},
                          {"_SPACE_", " "},
                          {"_CUDART_", "cudart"},
                          {"_TARGET_DIR_", target},
                          {"_TARGET_SIZE_", target.empty() && host.system() != System::windows ? "64" : ""},
                          {"_WIN_PLATFORM_", "x64"},
                          {"_HOST_ARCH_", "x86_64"}});
}

Layout layout_of(const Host& host, const Site& site) {
    const std::string bin = lower(real_or_same(host, site.bin));
    if (bin.find("/hpc_sdk/") != std::string::npos) return Layout::hpc_sdk;
    if (bin.find("nvidia-cuda-toolkit") != std::string::npos) return Layout::debian;
    const std::string root = parent_path(bin), above = parent_path(root);
    const std::string name(file_name(root));
    if (file_name(above) == "nvidia" && (starts_with(name, "cu1") || starts_with(name, "cuda_")))
        return Layout::wheel;
    if (is_conda_prefix(host, site.root)) return Layout::conda;
    if (is_file(host, join_path(site.bin, "nvcc.profile")) || is_folder(host, join_path(site.root, "nvvm")))
        return Layout::nvidia;
    return Layout::unknown;
}

}  // namespace ptxguard
