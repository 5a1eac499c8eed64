// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/unseen_installs.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/meaning/toolkits.hpp"

namespace ptxguard::recipes {
namespace {

bool names_cuda(const std::string& text) {
    const std::string name = lower(text);
    for (const char* part : {"cuda", "nvidia", "nvcc", "nvhpc"})
        if (name.find(part) != npos) return true;
    return false;
}

// They install nothing, whatever their words are.
bool is_harmless(const std::string& program) {
    return starts_with(program, "python") || starts_with(program, "pip") ||
           is_one_of(program, {"nvcc", "cmake", "ninja",      "git",     "echo",     "printf", "export",
                               "cd",   "mkdir", "rm",         "ls",      "cat",      "grep",   "find",
                               "test", "[",     "set",        "true",    "chmod",    "chown",  "which",
                               "uv",   "touch", "id",         "useradd", "ldconfig", "cargo",  "go",
                               "npm",  "node",  "nvidia-smi", "sleep",   "head",     "tail"});
}

// A script from the network, unless it is that of a tool without CUDA.
bool is_foreign_script(const std::string& url) {
    if (url.find("://") == npos) return false;
    for (const char* known :
         {"astral.sh", "rustup.rs", "nodesource.com", "install.python-poetry.org", "bootstrap.pypa.io",
          "repo.anaconda.com", "conda-forge/miniforge", "get-pip", "ollama.com", "kitware.com", "llvm.org"})
        if (url.find(known) != npos) return false;
    return ends_with(url, ".sh") || ends_with(url, ".run") || file_name(url).find('.') == npos;
}

}  // namespace

// `sh` alone reads a pipe.
bool runs_script(const Command& command) {
    if (command.words.empty()) return false;
    const std::string& first = command.words.front().text;
    if (ends_with(first, ".sh") || ends_with(first, ".run") || starts_with(first, "./")) return true;
    return command.words.size() > 1 &&
           is_one_of(program_name(first), {"sh", "bash", "zsh", "dash", "source", ".", "eval"});
}

void NvccSources::take(const SetVariable& variable) {
    // It is mounted, or the image has it.
    m_open = m_open || selects_toolkit(variable.name) ||
             (variable.name == "PATH" && names_cuda(variable.value.text));
}

void NvccSources::take(const PipInstall& step) {
    m_open = m_open || step.unread;
    for (const WrittenRequirement& one : step.requirements)
        m_open = m_open || starts_with(one.name, "nvidia-cuda-nvcc") || one.name == "cuda-toolkit" ||
                 contains(one.extras, "nvcc");
}

void NvccSources::take(const CondaInstall& step) {
    for (const CondaSpec& spec : step.specs)
        m_open = m_open || !spec.whole.known || (names_cuda(spec.name) && spec.name != "cudatoolkit");
}

void NvccSources::take(const AptInstall& step) {
    for (const AptPackage& package : step.packages) {
        m_open = m_open || !package.whole.known || names_cuda(package.name);
        m_brought =
            m_brought || starts_with_any(package.name, {"holoscan", "deepstream"});  // they require it
    }
}

void NvccSources::take(const Command& command) {
    if (command.words.empty() || m_open) return;
    const std::string program = program_name(command.words.front().text);
    m_open = !command.words.front().known || runs_script(command) ||
             is_one_of(program, {"conda", "mamba", "micromamba", "module", "ml", "spack", "nix", "guix",
                                 "brew", "docker"});
    for (const SetVariable& variable : command.variables) take(variable);
    if (m_open || is_harmless(program)) return;
    const std::string& first = command.words.front().text;
    const bool own =
        first.find('/') != npos && !starts_with(first, "/usr/bin/") && !starts_with(first, "/bin/");
    m_open = own || any_of(command.words, [&](const Written& word) {
                 return names_cuda(word.text) || is_foreign_script(word.text);
             });
}

void NvccSources::take(const CopyFrom& step) {
    // COPY --from=devel /usr/local/cuda /usr/local/cuda, COPY --from=build / /
    for (const Written& source : step.sources) {
        std::string path = source.text;
        while (path.size() > 1 && path.back() == '/') path.pop_back();
        m_brought =
            m_brought || !source.known || names_cuda(path) || path.find_first_of("*$") != npos ||
            is_one_of(path, {"/", "/usr", "/usr/local", "/opt", "/usr/local/bin", "/usr/bin", "/opt/conda"});
    }
}

bool installs_others(const PipInstall& step) {
    return step.unread || !step.projects.empty() || !step.checkouts.empty() ||
           any_of(step.requirements,
                  [](const WrittenRequirement& one) { return one.name.empty() || one.url; });
}
bool installs_others(const Command& step) {
    if (step.words.empty()) return false;
    const std::string program = program_name(step.words[0].text);
    return runs_script(step) ||
           is_one_of(program, {"conda", "mamba", "micromamba", "bash", "sh", "make", "docker"}) ||
           (starts_with(program, "python") && step.words.size() > 1);
}

}  // namespace ptxguard::recipes
