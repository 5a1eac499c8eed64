// cudnn/8.json, cudnn/9.json -> releases; read at the first query and kept with the other tables.
// SPDX-License-Identifier: Apache-2.0
#include "facts/cudnn.hpp"

#include <algorithm>

#include "facts/tables.hpp"

namespace ptxguard {
namespace {

std::vector<Target> targets_of(FactReader& reader, const Json& row) {
    std::vector<Target> targets;
    const auto add = [&](Arch arch, bool real) { targets.push_back({arch, real, !real}); };
    for (Arch arch : reader.archs(row, "sass")) add(arch, true);
    for (Arch arch : reader.archs(row, "ptx")) add(arch, false);
    return targets;
}

// "cu12" -> 12
int major_of_key(const std::string& key) {
    const auto version = key.size() > 2 ? parse_version(key.substr(2)) : std::nullopt;
    return version ? version->major() : 0;
}

CudnnRelease read_release(FactReader& reader, const Json& row) {
    CudnnRelease release;
    if (const auto version = reader.needed_version(row, "version")) release.version = *version;
    release.parts = reader.words(row, "sub_libraries");
    for (const auto& [key, code] : row["device_code"].members()) {
        CudnnCode measured{
            release.version, targets_of(reader, code),
            reader.origin("cuDNN " + release.version.text + " for CUDA " + std::to_string(major_of_key(key)) +
                              ", " + code["lib"].as_string(),
                          reader.source_words(code))};
        release.code.emplace_back(major_of_key(key), std::move(measured));
    }
    return release;
}

// 9.10.2 and 9.10.2.21 are one release; builds of it differ in the fourth number.
bool same_release_of_cudnn(const Version& a, const Version& b) {
    for (std::size_t i = 0; i < 3; ++i)
        if (a.at(i) != b.at(i)) return false;
    return true;
}

// An aarch64 build may list no libraries; then use the first build of that release that does.
const CudnnRelease* release_of(const std::vector<CudnnRelease>& releases, const Version& version) {
    for (const CudnnRelease& release : releases)
        if (same_release_of_cudnn(release.version, version) && !release.parts.empty()) return &release;
    return nullptr;
}

std::string file_of(const std::string& library, int major, System system) {
    const std::string number = std::to_string(major);
    return system == System::windows ? library + "64_" + number + ".dll" : "lib" + library + ".so." + number;
}

}  // namespace

std::vector<CudnnRelease> read_cudnn(FactReader& reader, const Json& root) {
    std::vector<CudnnRelease> releases;
    for (const auto& row : root["releases"].items()) releases.push_back(read_release(reader, row));
    std::stable_sort(releases.begin(), releases.end(),
                     [](const CudnnRelease& a, const CudnnRelease& b) { return a.version < b.version; });
    return releases;
}

const std::vector<CudnnRelease>& Facts::Tables::cudnn(int major) {
    const auto found = cudnn_read.find(major);
    if (found != cudnn_read.end()) return found->second;
    const std::string path = "cudnn/" + std::to_string(major) + ".json";
    auto& releases = cudnn_read[major];
    if (!store.candidates(path).empty())
        releases = load(path, read_cudnn).value_or(std::vector<CudnnRelease>{});
    return releases;
}

const std::vector<CudnnRelease>& Facts::cudnn_releases(int major) const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->cudnn(major);
}

std::vector<std::string> cudnn_files(const Facts& facts, const Version& version, System system) {
    std::vector<std::string> files;
    const CudnnRelease* release = release_of(facts.cudnn_releases(version.major()), version);
    if (!release) return files;
    files.push_back(file_of("cudnn", version.major(), system));
    for (const std::string& part : release->parts)
        if (part != "cudnn") files.push_back(file_of(part, version.major(), system));
    return files;
}

CudnnCodeNear cudnn_code(const Facts& facts, const Version& version, int cuda_major) {
    CudnnCodeNear near;
    for (const CudnnRelease& release : facts.cudnn_releases(version.major()))
        for (const auto& [major, code] : release.code) {
            if (major != cuda_major) continue;
            if (same_release_of_cudnn(release.version, version)) return {code, code};
            if (release.version < version)
                near.before = code;
            else if (!near.after)
                near.after = code;
        }
    return near;
}

}  // namespace ptxguard
