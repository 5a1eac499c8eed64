// A record is believed only for a file that it names, and a wheel's only if the size is still the recorded
// one: headers copied over by hand belong to no package. SPDX-License-Identifier: Apache-2.0
#include "discover/packages.hpp"

#include <algorithm>

#include "host/paths.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_record_cap = 8u << 20;

// Package names begin with one of these (wheels with '_' for '-').
std::vector<std::string> package_names(PartKind kind) {
    switch (kind) {
        case PartKind::crt_headers:
            return {"nvidia-cuda-crt", "nvidia-cuda-nvcc", "cuda-crt", "cuda-nvcc", "nvidia-cuda-dev"};
        case PartKind::runtime_headers:
        case PartKind::cudart:
            return {"nvidia-cuda-runtime", "cuda-cudart", "cudatoolkit", "nvidia-cuda-dev", "libcudart"};
        case PartKind::libdevice:
        case PartKind::nvvm:
            return {"nvidia-nvvm", "nvidia-cuda-nvcc", "cuda-nvvm",
                    "libnvvm",     "cuda-nvcc",        "nvidia-cuda-toolkit"};
        case PartKind::nvrtc:
            return {"nvidia-cuda-nvrtc", "cuda-nvrtc", "libnvrtc"};
        case PartKind::cublas:
            return {"nvidia-cublas", "libcublas"};
        case PartKind::cudnn:
            return {"nvidia-cudnn", "cudnn", "libcudnn"};
        default:
            return {"nvidia-cuda-nvcc", "cuda-nvcc", "nvidia-cuda-toolkit"};
    }
}

bool is_package_of(PartKind kind, std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    const auto names = package_names(kind);
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& start) { return starts_with(lower(name), start); });
}

Known<Version> from_record(const std::string& text, const std::string& file) {
    Known<Version> known;
    if (const auto version = parse_version(text)) known.value = *version;
    known.origin = Origin::from_file(file);
    return known;
}

std::string line_around(const std::string& text, std::size_t at) {
    const std::size_t begin = text.find_last_of("\r\n", at) + 1;  // npos + 1 = 0
    return text.substr(begin, text.find_first_of("\r\n", at) - begin);
}

// nvidia_cuda_crt-13.0.88.dist-info: path,sha256=...,size per line, paths below site-packages.
Known<Version> from_dist_info(const Host& host, const std::string& folder, const std::string& path) {
    const std::string record = join_path(folder, "RECORD");
    std::string base = parent_path(folder);  // site-packages, or a folder that only collects the records
    if (file_name(base) == "dist-info") base = parent_path(base);
    if (!starts_with(path, ends_with(base, "/") ? base : base + "/")) return {};
    const auto text = host.read(record, k_record_cap);
    if (!text) return {};
    const FileStatus status = host.status(path);
    const std::string name = "/" + std::string(file_name(path)) + ",";
    for (std::size_t at = text->find(name); at != std::string::npos; at = text->find(name, at + 1)) {
        const std::string line = line_around(*text, at);
        const std::size_t comma = line.find(',');
        const std::size_t last = line.rfind(',');
        if (comma == std::string::npos || last == comma) continue;
        // The part below nvidia/<package>/ is the part below the root.
        const auto pieces = split(line.substr(0, comma), "/");
        if (pieces.size() < 3) continue;
        std::string below;
        for (std::size_t i = 2; i < pieces.size(); ++i) below += "/" + pieces[i];
        if (!ends_with(path, below)) continue;
        Known<Version> known;
        known.origin = Origin::from_file(record);
        if (line.substr(last + 1) != std::to_string(status.size)) {
            known.origin.text = record + " lists this file with another size";
            return known;
        }
        const auto words = split(file_name(folder).substr(0, file_name(folder).size() - 10), "-");
        known = from_record(words.size() > 1 ? words[1] : "", record);
        return known;
    }
    return {};
}

// conda-meta/cuda-crt-dev_linux-64-12.4.131-0.json: "files": [...] relative to the prefix.
Known<Version> from_conda(const Host& host, const std::string& file, const std::string& path) {
    const auto text = host.read(file, k_record_cap);
    if (!text) return {};
    const std::string prefix = parent_path(parent_path(file)) + "/";
    if (!starts_with(path, prefix)) return {};
    if (text->find("\"" + path.substr(prefix.size()) + "\"") == std::string::npos) return {};
    const auto words = split(file_name(file), "-");
    if (words.size() < 3) return {};
    return from_record(words[words.size() - 2], file);
}

std::string upstream_version(std::string text) {
    if (const auto epoch = text.find(':'); epoch != std::string::npos) text.erase(0, epoch + 1);
    return text.substr(0, text.find_first_of("-~+"));
}

Known<Version> from_dpkg(const Host& host, PartKind kind, const std::string& path) {
    const std::string database = "/var/lib/dpkg/status";
    const auto text = host.read(database, 32u << 20);
    if (!text) return {};
    for (std::size_t at = text->find("Package: "); at != std::string::npos;
         at = text->find("\nPackage: ", at)) {
        if ((*text)[at] == '\n') ++at;
        const std::size_t end = std::min(text->find("\n\n", at), text->size());
        const std::size_t line_end = std::min(text->find('\n', at), end);
        const std::string name = text->substr(at + 9, line_end - at - 9);
        const std::size_t version = text->find("\nVersion: ", at);
        if (is_package_of(kind, name) && version < end) {
            const std::size_t stop = std::min(text->find('\n', version + 1), end);
            for (const char* suffix : {"", ":amd64", ":arm64"}) {
                const auto list = host.read("/var/lib/dpkg/info/" + name + suffix + ".list", k_record_cap);
                if (!list || ("\n" + *list + "\n").find("\n" + path + "\n") == std::string::npos) continue;
                auto known =
                    from_record(upstream_version(text->substr(version + 10, stop - version - 10)), database);
                known.origin.text = "package " + name + " (dpkg)";
                return known;
            }
        }
        at = end;
    }
    return {};
}

void add_dist_infos(const Host& host, const std::string& folder, PackageRecords& records) {
    const auto entries = host.list(folder);
    if (!entries) return;
    for (const auto& entry : *entries)
        if (starts_with(entry.name, "nvidia_") && ends_with(entry.name, ".dist-info"))
            records.dist_infos.push_back(join_path(folder, entry.name));
}

}  // namespace

PackageRecords package_records(const Host& host, const std::string& root, Layout layout) {
    PackageRecords records;
    const auto real = host.real_path(root);
    const std::string top = real ? *real : root;
    if (layout == Layout::wheel)
        add_dist_infos(host, parent_path(parent_path(top)), records);
    else if (host.status(join_path(top, "dist-info")).type == FileType::directory)
        add_dist_infos(host, join_path(top, "dist-info"), records);
    if (layout == Layout::conda)
        if (const auto entries = host.list(join_path(root, "conda-meta")))
            for (const auto& entry : *entries)
                if (ends_with(entry.name, ".json"))
                    records.conda_files.push_back(join_path(root, "conda-meta/" + entry.name));
    records.dpkg = records.dist_infos.empty() && host.system() == System::linux_ &&
                   (starts_with(top, "/usr/") || top == "/usr" || layout == Layout::debian);
    return records;
}

Known<Version> package_version(const Host& host, const PackageRecords& records, PartKind kind,
                               const std::string& path) {
    Known<Version> nearly;
    const auto real = host.real_path(path);
    const std::string file = real ? *real : path;
    for (const auto& folder : records.dist_infos) {
        if (!is_package_of(kind, std::string(file_name(folder)))) continue;
        auto known = from_dist_info(host, folder, file);
        if (known) return known;
        if (known.origin.kind != OriginKind::none) nearly = known;
    }
    for (const auto& json : records.conda_files) {
        if (!is_package_of(kind, std::string(file_name(json)))) continue;
        for (const auto& spelling : {path, file})
            if (auto known = from_conda(host, json, spelling)) return known;
    }
    if (records.dpkg) {
        for (const auto& spelling : {path, file})
            if (auto known = from_dpkg(host, kind, spelling)) return known;
    }
    return nearly;
}

}  // namespace ptxguard
