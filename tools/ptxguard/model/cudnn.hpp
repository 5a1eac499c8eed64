// A copy of cuDNN as it lies on a machine: the libraries of one major in one folder, and who says what of
// them. The number in a file name is the major alone, and libcudnn.so.9 answers for whichever part it opens;
// so each part, the header and the package are heard separately.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

struct CudnnLibrary {
    std::string name;  // "libcudnn_ops.so.9", "cudnn_ops64_9.dll"
    std::string path;
    Known<Version> version;  // by a symbol, its version resource, its real name or its package

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, name, path);
        PTXGUARD_FIELDS(v, version);
    }
};

struct CudnnCopy {
    std::string folder;
    std::string source;  // "system", "toolkit", "wheel", "conda", "installer", "search path", "framework"
    int major = 0;       // by the file names
    std::vector<CudnnLibrary> libraries;
    Known<Version> version;  // of the part that cudnnGetVersion speaks of, else of any
    Known<Version> header;   // CUDNN_MAJOR, _MINOR, _PATCHLEVEL beside it
    Known<Version> package;  // of the wheel, conda's or Debian's package that brought the files
    Known<Version> cuda;     // that it was made for: "12.9", or "12" where only the major is told
    std::vector<std::string>
        missing;  // of the complete set of that release; the loader finds them elsewhere or never
    std::vector<std::string> loaded_by;  // frameworks whose process takes a library of it

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, folder, source, major);
        PTXGUARD_FIELDS(v, libraries, version, header, package, cuda, missing, loaded_by);
    }
};

}  // namespace ptxguard
