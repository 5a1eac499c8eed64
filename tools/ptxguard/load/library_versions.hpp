// What NVIDIA's library files say of their own version. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "facts/libraries.hpp"
#include "host/host.hpp"

namespace ptxguard {

struct OwnWords {
    Known<Version>
        version;          // as far as the file tells it: 12.4.5 of cuBLASLt 12.4.5.8, 12.8 of NVRTC 12.8.93
    Known<Version> cuda;  // CUDA release that it was made with, where it says so
    std::string machine;
    bool stub = false;
};
// Nothing is run: an exported constant, the constant that its version function gives back, or the version
// resource.
OwnWords own_words(const Source& source, const LibraryName& name, const std::string& path);

// The version of a file's package, and the package's name ("nvidia-cudnn-cu12", "libcudnn9-cuda-12").
struct PackagedLibrary {
    Known<Version> version;
    std::string package;
};

// The packages that files belong to: dist-info of NVIDIA's wheels, conda-meta, dpkg's lists. Their records
// are read once.
class LibraryPackages {
public:
    explicit LibraryPackages(const Host& host) : m_host(host) {}
    PackagedLibrary package(const LibraryName& name, const std::string& path);
    Known<Version> version(const LibraryName& name, const std::string& path) {
        return package(name, path).version;
    }

private:
    struct DistInfo {
        std::string folder, name;                   // the name in small letters
        mutable std::optional<std::string> record;  // read when it is asked for
    };
    const std::vector<DistInfo>& dist_infos(const std::string& folder);
    const std::string& record_of(const DistInfo& info);
    // `whole`: `file` is the whole path in the package; else the end of it, and the size has to be told.
    PackagedLibrary in_dist_infos(const std::string& folder, const std::string& file, const std::string& word,
                                  std::uint64_t size, bool whole);

    const Host& m_host;
    std::map<std::string, std::vector<DistInfo>> m_dist_infos;
};

}  // namespace ptxguard
