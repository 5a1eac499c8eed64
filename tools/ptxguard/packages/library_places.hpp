// Places of NVIDIA's libraries, whether or not a loader searches them: one list for all searches for a copy.
// Folders need not exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct LibraryPlace {
    std::string folder;
    std::string source;           // "wheel", "conda", "toolkit", "installer", "system", as in CudnnCopy
    std::string variable, value;  // the variable that names it, and its value; empty = none
};
// From CUDA_PATH, CUDA_HOME, CUDNN* and similar variables; toolkits in the default folders; cuDNN from the
// Windows installer.
std::vector<LibraryPlace> installed_libraries(const Host& host);
// NVIDIA's wheels in a site-packages folder, and the lib folder of its environment.
std::vector<LibraryPlace> libraries_of_site(const Host& host, const std::string& site);
std::vector<std::string> library_folders_of_toolkit(const Host& host, const std::string& root);
// Library folders of x86-64 and AArch64 distributions.
const std::vector<std::string>& system_library_folders();

// A toolkit that Windows' installer has entered in the registry. Its folder may be gone.
struct RegisteredToolkit {
    std::string key;  // "HKLM\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v13.0"
    std::string folder;
    bool elsewhere = false;  // not in the folder that the installer proposes
};
std::vector<RegisteredToolkit> registered_toolkits(const Host& host);  // newest first

// Existing folders where installers put toolkits, /usr/local/cuda first, then newest first.
std::vector<std::string> default_folders(const Host& host);

// %SystemRoot% of a Windows machine; C:/Windows if that is not known.
std::string windows_folder(const Host& host);

}  // namespace ptxguard
