// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/copied_packages.hpp"

#include <set>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {
namespace {

std::string without_slash(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

// "/opt/venv/lib" is in "/opt/venv", and so is that itself.
bool is_in(const std::string& path, const std::string& folder) {
    return path == folder || (folder != "/" && starts_with(path, folder + "/"));
}

// The folder of an option of pip: --target=/deps, -t /deps, --prefix /install
std::string folder_option(const PipInstall& install) {
    const std::vector<std::string> words = split(install.whole.text, " \t\n");
    for (std::size_t i = 0; i < words.size(); ++i)
        for (const char* name : {"--target", "-t", "--prefix", "--root"}) {
            if (words[i] == name && i + 1 < words.size()) return without_slash(words[i + 1]);
            if (starts_with(words[i], std::string(name) + "="))
                return without_slash(words[i].substr(std::string(name).size() + 1));
        }
    return "";
}

// Where the commands of a stage put packages, one after another.
class Folders {
public:
    void take(const Command& command) {
        if (!command.makes.empty()) m_made.insert(m_last = without_slash(command.makes));
    }
    // Empty = the image's own Python, or not known.
    std::string of(const PipInstall& install) {
        if (!install.makes.empty()) m_made.insert(m_last = without_slash(install.makes));
        if (const std::string folder = folder_option(install); !folder.empty()) return folder;
        const std::string active = of_environments(install.environment);
        return active.empty() && install.tool == "uv" ? m_last : active;
    }
    std::string of(const CondaInstall& install) {
        for (const std::string& one : split(install.environment, ":"))
            if (one.find('/') != npos) return without_slash(one);
        return "";
    }

private:
    std::string of_environments(const std::string& candidates) const {
        for (const std::string& one : split(candidates, ":"))
            if (m_made.count(without_slash(one)) != 0) return without_slash(one);
        return "";
    }

    std::set<std::string> m_made;
    std::string m_last;
};

bool installs_for_user(const PipInstall& install) {
    return contains(split(install.whole.text, " \t\n"), std::string("--user"));
}

// Of the image's own Python: /usr/local/lib/python3.11/site-packages, /root/.local of --user. Null for
// another folder.
const std::vector<const Step*>* own_packages(const InstalledFolders& all, const std::string& path) {
    if (ends_with(path, "/.local") || path.find("/.local/lib") != npos) return &all.of_user;
    const bool own = ends_with(path, "/site-packages") || ends_with(path, "/dist-packages");
    return own ? &all.of_image : nullptr;
}

// "/opt" of "/opt/venv"; empty = none.
std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == npos || slash == 0 ? "" : path.substr(0, slash);
}

}  // namespace

InstalledFolders installed_folders(const Environments::Steps& steps) {
    InstalledFolders all;
    Folders folders;
    const auto add = [&](const Step* step, const std::string& folder, const PipInstall* pip) {
        if (!folder.empty())
            all.by_folder[folder].push_back(step);
        else if (pip && !is_isolated(*pip))
            (installs_for_user(*pip) ? all.of_user : all.of_image).push_back(step);
    };
    for (const Step* step : steps) {
        if (const auto* command = std::get_if<Command>(step)) folders.take(*command);
        if (const auto* pip = std::get_if<PipInstall>(step)) add(step, folders.of(*pip), pip);
        if (const auto* conda = std::get_if<CondaInstall>(step)) add(step, folders.of(*conda), nullptr);
    }
    return all;
}

namespace {

// Those of the folders that a copied path holds or is part of; whether it is nothing but one of them.
bool add_installs(const InstalledFolders& all, const std::string& path, Environments::Steps& installs) {
    const std::size_t before = installs.size();
    if (const std::vector<const Step*>* own = own_packages(all, path)) append(installs, *own);
    for (std::string folder = path; !folder.empty(); folder = parent_of(folder))
        if (const auto found = all.by_folder.find(folder);
            found != all.by_folder.end() && is_in(path, folder == path ? folder : folder + "/lib"))
            append(installs, found->second);
    const bool only = installs.size() > before;
    const std::string below = path == "/" ? path : path + "/";
    for (auto found = all.by_folder.lower_bound(below);
         found != all.by_folder.end() && starts_with(found->first, below); ++found)
        append(installs, found->second);
    return only;
}

}  // namespace

CopiedPackages copied_packages(const Stages& stages, const CopyFrom& copy) {
    CopiedPackages found;
    const Stage* from = stages.named(copy.stage.text);
    if (!from) return found;
    const InstalledFolders& all = stages.installed_in(*from);
    found.only = true;
    for (const Written& source : copy.sources) {
        const bool only = source.known && add_installs(all, without_slash(source.text), found.installs);
        found.only = found.only && only;
    }
    return found;
}

bool is_copied_away(const Stages& stages, const Stage& stage) {
    return !stage.last && !stage.name.empty() && any_of(stages.copies_of(stage), [&](const CopyFrom* copy) {
        return !copied_packages(stages, *copy).installs.empty();
    });
}

void forget_copied(const std::vector<int>& groups, std::vector<RefusedPin>& refused) {
    erase_if(refused, [&](const RefusedPin& one) { return contains(groups, one.group); });
}

void forget_libraries(RecipeFacts& recipe) {
    recipe.builds_others = true;
    recipe.libraries_complete = false;
    recipe.libraries_cuda = {};
    recipe.libraries_cudnn = {};
}

}  // namespace ptxguard::recipes
