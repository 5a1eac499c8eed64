// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/system_pythons.hpp"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "facts/recipe_tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/unseen_installs.hpp"

namespace ptxguard::recipes {
namespace {

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
    return any_of(parts, [&](std::string_view part) { return text.find(part) != npos; });
}

// add-apt-repository -y ppa:deadsnakes/ppa
bool adds_deadsnakes(const Command& command) {
    return !command.words.empty() &&
           is_one_of(program_name(command.words[0].text), {"add-apt-repository", "apt-add-repository"}) &&
           all_of(command.words, [](const Written& word) { return word.known; }) &&
           any_of(command.words, [](const Written& word) { return word.text == "ppa:deadsnakes/ppa"; });
}

// A list of sources, a PPA, a package or a script of others. A mirror that sed writes has the same packages.
bool may_add_sources(const Command& command) {
    if (command.words.empty()) return false;
    const std::string program = program_name(command.words[0].text);
    if (is_one_of(program, {"add-apt-repository", "apt-add-repository", "apt-key", "dpkg", "gdebi"}))
        return true;
    if (runs_script(command)) return true;
    if (is_one_of(program, {"rm", "mkdir"})) return false;
    const bool edits = program == "sed";
    return any_of(command.words, [&](const Written& word) {
        const std::string text = lower(word.text);
        const bool release =
            edits && has_any(text, {"deb ", "sid", "testing", "noble", "jammy", "focal", "trixie"});
        const bool named =
            !edits && has_any(text, {"/etc/apt", "sources.list", "ppa", "deadsnakes", ".deb", "deb "});
        const bool unknown = !word.known && is_one_of(program, {"curl", "wget", "echo", "tee", "printf"});
        return release || named || unknown;
    });
}

constexpr const char* k_distutils = "python3-distutils";

// "python3.12" of "python3.12-venv"; python3-distutils.
std::string python_of_package(const std::string& name) {
    if (name == k_distutils) return name;
    if (!starts_with(name, "python3.")) return "";
    const std::string release = name.substr(6, name.find('-') - 6);
    return release.size() > 2 && all_digits(release.substr(2)) ? "python" + release : "";
}

bool has_package(const DistributionToolkit& system, const std::string& package) {
    static const Version k_without_distutils = *parse_version("3.12");
    if (package == k_distutils) return *system.python < k_without_distutils;
    const std::string release = package.substr(6);
    return system.python->text == release || contains(system.pythons, release);
}

}  // namespace

void SystemPythons::take(const Command& command) {
    if (adds_deadsnakes(command))
        m_deadsnakes = true;
    else
        m_open = m_open || may_add_sources(command);
}

void SystemPythons::take(const AptInstall& step) {
    m_open = m_open || step.whole.text.find(".deb") != npos;
    const bool other_source = !step.whole.known || has_any(step.whole.text, {" -t", "--target", "/"});
    if (m_open || other_source || !step.action.empty() || !step.whole.fixed ||
        !is_one_of(step.manager, {"apt", "apt-get", "apt-fast", "aptitude", "nala"}))
        return;
    for (const AptPackage& package : step.packages) {
        const std::string python = package.whole.known ? python_of_package(package.name) : "";
        if (!python.empty()) m_asked.emplace(python, Asked{package.whole, m_deadsnakes});
    }
}

void SystemPythons::fill(const RecipeImage& image, const Written& system, const Facts& facts,
                         RecipeFacts& recipe) const {
    if (m_asked.empty() || (image.name != "nvidia/cuda" && !is_plain(image, facts))) return;
    const DistributionToolkit* here = distribution_toolkit(image, "", facts);
    if (!here || !here->python) return;
    for (const auto& [package, asked] : m_asked) {
        const bool by_ppa = asked.deadsnakes && package != k_distutils;
        if (has_package(*here, package) || (by_ppa && !here->left_by_deadsnakes)) continue;
        ToolkitRequest request;
        request.by = by_ppa ? "python of deadsnakes" : "python";
        request.wanted = package;
        request.repository = here->system;
        request.origin = origin_of(asked.at);
        request.system = origin_of(system);
        recipe.toolkit_requests.push_back(std::move(request));
    }
}

}  // namespace ptxguard::recipes
