// What of Visual Studio a Windows job has, finds and names.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/meaning/host_compilers.hpp"

namespace ptxguard::recipes {
namespace {

// "2022" of CMake's "Visual Studio 17 2022" and of "C:\Program Files\Microsoft Visual Studio\2022\..."
std::string year_of_studio(const std::string& text) {
    constexpr std::string_view studio = "Visual Studio";
    const std::size_t at = text.find(studio);
    const std::size_t year = at == npos ? npos : text.find("20", at + studio.size());
    return year != npos && year < at + studio.size() + 5 ? text.substr(year, 4) : "";
}

}  // namespace

// What chooses a toolset of Visual Studio, or another Visual Studio.
void HostCompilers::read_studio(const Written& word) {
    const std::string& text = word.text;
    // A folder that gets CUDA's files for MSBuild: whatever builds finds its own.
    const bool copied_to = text.find("BuildCustomizations") != npos;
    if (const std::string year = year_of_studio(text); !year.empty() && !copied_to) m_generator = year;
    // "-T v142", "-Tv141,cuda=12.1", "-T version=14.38", vcvarsall.bat x64 -vcvars_ver=14.29
    for (const char* start : {"v14", "-Tv14", "-T v14", "version=14", "host=x64,version=14", "14."})
        m_open = m_open || starts_with(text, start);
    m_open = m_open || text.find("vcvars_ver") != npos;
    for (const char* part :
         {"visualstudio20", "vs_buildtools", "vs_BuildTools", "vs_community", "vs_enterprise"})
        m_adds_studio = m_adds_studio || lower(text).find(lower(part)) != npos;
    m_open = m_open || m_adds_studio;
}

void HostCompilers::name_studio(const Written& named) {
    if (!m_needed && named.known && named.fixed && !year_of_studio(named.text).empty()) m_needed = named;
}

// cmake -G "Visual Studio 17 2022", call "C:\...\2022\Enterprise\VC\Auxiliary\Build\vcvars64.bat"
void HostCompilers::read_generator(const Command& command, const std::string& program) {
    const std::vector<Written>& words = command.words;
    for (std::size_t i = 1; program == "cmake" && i < words.size(); ++i)
        if (starts_with(words[i].text, "-G"))
            name_studio(words[i].text == "-G" && i + 1 < words.size() ? words[i + 1] : words[i]);
    const Written& started = program == "call" && words.size() > 1 ? words[1] : words[0];
    if (starts_with_any(lower(file_of(started.text)), {"vcvars", "vsdevcmd"})) {
        m_needs_folder = m_needs_folder || (started.known && !year_of_studio(started.text).empty());
        name_studio(started);
    }
}

// nvcc itself, and CMake's Ninja, take the cl.exe of PATH, where only Visual Studio's prompts put it. CMake's
// own generator, MSBuild and setuptools find it without.
void HostCompilers::read_prompt(const Command& command, const std::string& program) {
    bool ninja = false, compiles = false;
    for (std::size_t i = 0; i < command.words.size(); ++i) {
        const std::string text = lower(command.words[i].text);
        for (const char* one : {"vcvars", "vsdevcmd", "devshell", "hostx64", "msvc", "vswhere", "vctools"})
            m_prompt = m_prompt || text.find(one) != npos;
        ninja = ninja || starts_with(text, "-gninja") || (text == "ninja" && i > 0);
        compiles = compiles || ends_with(text, ".cu");
    }
    const bool bare = (program == "nvcc" && compiles) || (program == "cmake" && ninja);
    if (bare && !m_prompt && !m_bare) m_bare = command.words[0];
}

// CMake takes the Visual Studio of its generator, vcvars64.bat that of its folder.
bool HostCompilers::fits_generator(const SystemCompiler& defaults) const {
    return m_generator.empty() || defaults.studio.empty() || m_generator == defaults.studio;
}

// Of what builds with the toolkit that the job installs, on a runner that has another Visual Studio only.
bool HostCompilers::is_missing_studio(const SystemCompiler& defaults, const Toolkit& toolkit) const {
    // Whatever else the job finds, that folder is not there.
    const bool open = m_needs_folder ? m_adds_studio : m_open;
    return m_needed && !open && !defaults.studio.empty() && !fits_generator(defaults) &&
           year_of_studio(m_needed.text) == m_generator && is_installed(toolkit, true);
}

void HostCompilers::take_missing_studio(const SystemCompiler& defaults, Project& project) const {
    project.wanted = project.wanted || m_builds;
    HostCompiler& chosen = project.host_compiler;
    chosen.family = defaults.family;
    chosen.trouble = "was not found";
    chosen.path = "Visual Studio " + m_generator;
    chosen.chosen_by = origin_of(m_needed);
    chosen.unfit = {"Visual Studio " + defaults.studio};
}

// The switch helps with every compiler but that of a newer Visual Studio.
bool HostCompilers::is_unchecked(const SystemCompiler* defaults) const {
    return m_without || (m_switch && (!defaults || defaults->studio.empty()));
}

// What conda installs has compilers of its own, but for Windows.
bool HostCompilers::is_installed(const Toolkit& toolkit, bool windows) {
    return starts_with(toolkit.root, "/usr/local/cuda") ||
           (windows &&
            (toolkit.layout == Layout::conda || toolkit.root.find("NVIDIA GPU Computing Toolkit") != npos));
}

// vswhere without a range of versions finds the Visual Studio of the image.
bool HostCompilers::finds_another_studio(const Command& command, const std::string& program) {
    return program == "vswhere" && any_of(command.words, [](const Written& word) {
               return !word.known || is_one_of(lower(word.text), {"-version", "-prerelease"});
           });
}

}  // namespace ptxguard::recipes
