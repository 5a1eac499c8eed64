// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/cmake_here.hpp"

#include <algorithm>
#include <cstdlib>

#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/cmake_steps.hpp"
#include "recipes/builds/projects.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/unseen_installs.hpp"
#include "recipes/resolution/pins.hpp"

namespace ptxguard::recipes {
namespace {

// "3.27.1" of cmake-3.27.1-linux-x86_64.sh, /opt/cmake-3.27.1/bin
std::string cmake_release_in(const std::string& text) {
    const std::string mark = "cmake-";
    for (std::size_t at = text.find(mark); at != npos; at = text.find(mark, at + 1)) {
        const std::size_t begin = at + mark.size();
        std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
        while (end > begin && text[end - 1] == '.') --end;  // cmake-3.27.1.tar.gz
        if (end > begin) return text.substr(begin, end - begin);
    }
    return "";
}

// The newest one on PyPI that is allowed. Newer ones follow, so it is one of several.
Known<Version> newest_of_pypi(const WrittenRequirement& wanted, const Facts& facts) {
    const PypiPackage* table = pypi_package(facts, "cmake");
    Known<Version> newest;
    for (const PypiRelease& release : table ? table->releases : std::vector<PypiRelease>{}) {
        const auto version = parse_version(release.version);
        if (!version || table->row(release).yanked || !accepts(wanted.specifier, *version)) continue;
        newest = {*version, origin_of(wanted.whole)};
    }
    newest.origin.overridable = true;
    return newest;
}

// "20" of "-std=c++20", "c++20", "gnu++20"; 0 = another text.
int standard_of(const std::string& text) {
    const std::size_t at = text.find("++");
    const std::string number = at == npos ? text : text.substr(at + 2);
    return number.size() == 2 && all_digits(number) ? std::atoi(number.c_str()) : 0;
}

StandardRequest request_of(const std::string& name, int standard, const Written& at) {
    StandardRequest request;
    request.name = name;
    request.standard = standard;
    request.origin = origin_of(at);
    return request;
}

}  // namespace

void CMakeHere::add(const std::string& number, const Written& at) {
    const auto version = at.known ? parse_version(number) : std::nullopt;
    if (version && version->numbers.size() > 1)
        m_installed.push_back({*version, origin_of(at)});
    else
        m_open = true;
}

void CMakeHere::take(const SetVariable& variable) {
    if (variable.name != "PATH" || lower(variable.value.text).find("cmake") == npos) return;
    m_on_path = true;
}

void CMakeHere::take(const PipInstall& step) {
    m_open = m_open || step.unread;
    for (const WrittenRequirement& one : step.requirements) {
        const auto exact = exact_version(one.specifier);
        if (one.name == "cmake") {
            exact ? add(exact->text, one.whole) : m_newest.push_back(one);
        } else if (one.name == "triton" || one.name == "torch") {
            // Triton 2.0, which torch 2.0 requires, requires the newest CMake.
            m_open = m_open || (exact && exact->major() == 2 && exact->minor() == 0);
        }
    }
}

void CMakeHere::take(const CondaInstall& step) {
    for (const CondaSpec& spec : step.specs)
        if (spec.name == "cmake") {
            const auto version = conda_version(spec.version);
            add(version ? version->text : "", spec.whole);
        }
}

void CMakeHere::take(const AptInstall& step) {
    for (const AptPackage& package : step.packages) {
        m_newer = m_newer || starts_with(package.name, "kitware");
        m_open = m_open || package.name == "cmake3";
        if (package.name != "cmake") continue;
        m_open = m_open || !package.whole.known;
        if (package.version.empty())
            m_of_system = package.whole;
        else
            add(package.version.substr(0, package.version.find_first_of("-+~")), package.whole);
    }
}

void CMakeHere::take(const Command& command) {
    if (command.words.empty()) return;
    const std::string& first = command.words.front().text;
    if (program_name(first) == "cmake") {
        const bool own = first.find('/') != npos && !starts_with(first, "/usr/bin/");
        m_runs = m_runs || (!own && configures(command));
        return;
    }
    m_open = m_open || runs_script(command);
    const std::string program = program_name(first);
    for (const Written& word : command.words) {
        const std::string text = lower(word.text);
        m_newer = m_newer || text.find("apt.kitware.com") != npos || text.find("backports") != npos;
        if (text.find("cmake") == npos) continue;
        const std::string number = cmake_release_in(text);
        if (!number.empty()) {
            add(number, word);
            m_downloads = true;
        } else if (is_one_of(program, {"git", "snap", "brew", "add-apt-repository", "docker"}) ||
                   text.find("://") != npos) {
            m_open = m_open || text.find("kitware.com") == npos;
        }
    }
}

void CMakeHere::take(const CopyFrom& step) {
    for (const Written& source : step.sources) {
        const std::string path = lower(source.text);
        m_open =
            m_open || path.find("cmake") != npos ||
            is_one_of(path, {"/", "/usr", "/usr/", "/usr/local", "/usr/local/", "/usr/local/bin", "/opt"});
    }
}

Known<Version> CMakeHere::release(const RecipeImage& image, const std::string& platform,
                                  const Facts& facts) const {
    if (!m_runs || m_open || (m_on_path && !m_downloads)) return {};
    if (!is_plain(image, facts) && image.name != "nvidia/cuda") return {};  // it may have one
    const std::string system = system_of(image, platform, facts);
    std::vector<Known<Version>> all = m_installed;
    for (const WrittenRequirement& one : m_newest) {
        all.push_back(newest_of_pypi(one, facts));
        if (!all.back()) return {};
    }
    if (m_of_system) {
        const auto& rows = recipe_tables(facts).system_cmakes;
        const auto* row = first_where(rows, [&](const SystemRelease& one) { return one.system == system; });
        if (!row || m_newer) return {};
        all.push_back({*row->version, origin_of(m_of_system)});
    }
    const auto newest = std::max_element(
        all.begin(), all.end(), [](const Known<Version>& a, const Known<Version>& b) { return *a < *b; });
    return newest == all.end() ? Known<Version>{} : *newest;
}

void Standards::take(const SetVariable& variable) {
    const std::string& name = variable.name;
    const Written& value = variable.value;
    const std::string file = file_name(value.file);
    if (!value.known) return;
    if (name == k_minimum_cmake && value.fixed) {
        const auto version = parse_version(value.text);
        if (version && (!m_minimum || *m_minimum < *version)) m_minimum = {*version, origin_of(value)};
    }
    if (!is_standard_variable(name) || (file != "CMakeLists.txt" && !ends_with(file, ".cmake"))) return;
    if (ends_with(name, "_REQUIRED")) {
        bool& required = name == "CMAKE_CXX_STANDARD_REQUIRED" ? m_cxx_required : m_required;
        required = required || is_on(value.text);
    } else if (const int standard = standard_of(value.text)) {
        const bool feature = name == "cuda_std";
        StandardRequest& request =
            (name == "CMAKE_CXX_STANDARD" ? m_of_cxx : m_all)
                .emplace_back(request_of(name + (feature ? "_" : " ") + value.text, standard, value));
        request.by_cmake = true;
        request.required = feature;
    }
}

void Standards::take(const DeviceExtension& step) { m_language = m_language || step.by_cmake; }

void Standards::take(const Command& command) {
    if (command.words.empty()) return;
    const std::string program = program_name(command.words.front().text);
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const Written& word = command.words[i];
        if (!word.known) continue;
        if (program == "nvcc")
            take_option(word, i + 1 < command.words.size() ? &command.words[i + 1] : nullptr);
        if (program == "cmake") take_definition(word);
    }
}

// -std=c++20, --std c++20
void Standards::take_option(const Written& word, const Written* next) {
    const bool apart = word.text == "-std" || word.text == "--std";
    if (!starts_with_any(word.text, {"-std", "--std"}) || (apart && !next)) return;
    const std::string value = apart ? next->text : word.text;
    if (const int standard = standard_of(value))
        m_all.emplace_back(request_of("-std=" + value.substr(value.find('=') + 1), standard, word)).required =
            true;
}

// -DCMAKE_CUDA_STANDARD=20, -D CMAKE_CUDA_STANDARD:STRING=20
void Standards::take_definition(const Written& word) {
    const std::string option = starts_with(word.text, "-D") ? word.text.substr(2) : word.text;
    if (!starts_with(option, "CMAKE_CUDA_STANDARD") || option.find_first_of(":=") != 19) return;
    if (const int standard = standard_of(option.substr(option.find('=') + 1))) {
        m_all.emplace_back(request_of(option, standard, word)).by_cmake = true;
        m_language = true;
    }
}

void Standards::fill(RecipeFacts& recipe) const {
    bool of_cuda = false;
    for (const StandardRequest& one : m_all) {
        if (one.by_cmake && !m_language) continue;
        of_cuda = of_cuda || one.by_cmake;
        recipe.standards.push_back(one);
        recipe.standards.back().required = one.required || m_required;
    }
    // Before 3.17 that of C++ is for C++ only.
    const bool shared = recipe.cmake && !(*recipe.cmake < *parse_version("3.17"));
    if (of_cuda || !m_language || !m_cxx_required || !shared) return;
    for (StandardRequest one : m_of_cxx) {
        one.required = true;
        recipe.standards.push_back(std::move(one));
    }
}

}  // namespace ptxguard::recipes
