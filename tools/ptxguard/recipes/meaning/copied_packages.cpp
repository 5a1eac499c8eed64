// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/copied_packages.hpp"

#include <set>

#include "model/ranges.hpp"
#include "model/text.hpp"

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

// Folders of the image's own Python: /usr/local/lib/python3.11/site-packages, /root/.local of --user.
bool holds_own_packages(const std::string& path, const PipInstall& install) {
    if (installs_for_user(install)) return ends_with(path, "/.local") || path.find("/.local/lib") != npos;
    return ends_with(path, "/site-packages") || ends_with(path, "/dist-packages");
}

bool is_held(const std::string& path, const std::string& folder, const Step& step) {
    if (!folder.empty())
        return is_in(folder, path) || path == folder + "/lib" || is_in(path, folder + "/lib");
    const auto* pip = std::get_if<PipInstall>(&step);
    return pip && pip->tool != "uvx" && holds_own_packages(path, *pip);
}

// Each step that installs packages, with its folder.
template <class Visit>
void each_install(const Environments::Steps& steps, const Visit& visit) {
    Folders folders;
    for (const Step* step : steps) {
        if (const auto* command = std::get_if<Command>(step)) folders.take(*command);
        if (const auto* pip = std::get_if<PipInstall>(step)) visit(*step, folders.of(*pip));
        if (const auto* conda = std::get_if<CondaInstall>(step)) visit(*step, folders.of(*conda));
    }
}

}  // namespace

CopiedPackages copied_packages(const Stages& stages, const CopyFrom& copy) {
    CopiedPackages found;
    const Stage* from = stages.named(copy.stage.text);
    if (!from) return found;
    std::set<std::string> holding;
    each_install(stages.steps_of(stages.line_of(*from)), [&](const Step& step, const std::string& folder) {
        for (const Written& source : copy.sources) {
            const std::string path = without_slash(source.text);
            if (!source.known || !is_held(path, folder, step)) continue;
            found.installs.push_back(&step);
            // "/opt" may hold more than the environment.
            if (folder.empty() || is_in(path, folder)) holding.insert(source.text);
            return;
        }
    });
    found.only = all_of(copy.sources, [&](const Written& one) { return holding.count(one.text) != 0; });
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
