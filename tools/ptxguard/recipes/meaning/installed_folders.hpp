// The folders into which the commands of a stage install packages. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipes/meaning/environments.hpp"

namespace ptxguard::recipes {

struct InstalledFolders {
    std::map<std::string, std::vector<const Step*>> by_folder;  // a venv, one of --target
    std::vector<const Step*> of_image, of_user;                 // of the image's own Python; by --user
};

InstalledFolders installed_folders(const Environments::Steps& steps);

}  // namespace ptxguard::recipes
