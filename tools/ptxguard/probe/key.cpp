// Files and variables that can change a result.
// SPDX-License-Identifier: Apache-2.0
#include "probe/key.hpp"

#include "host/paths.hpp"

namespace ptxguard {

namespace {

constexpr PartKind k_programs[] = {PartKind::nvcc, PartKind::cicc, PartKind::ptxas, PartKind::cudafe,
                                   PartKind::fatbinary};

}  // namespace

Question toolkit_question(const Host& host, const Scenario& scenario, const Toolkit& toolkit,
                          const Compiler& compiler) {
    Question question;
    std::vector<std::string>& files = question.decided_by;
    const HostCompiler& host_compiler = scenario.project.host_compiler;
    bool path_decides = host_compiler.path.empty() || !host_compiler.trouble.empty();
    files = {compiler.nvcc};
    for (PartKind kind : k_programs) {
        const Part* part = toolkit.part(kind);
        if (part)
            files.push_back(part->path);
        else
            path_decides = true;  // nvcc searches PATH
    }
    if (const Part* nvcc = toolkit.part(PartKind::nvcc)) {
        files.push_back(join_path(parent_path(nvcc->path), "nvcc.profile"));
        if (!nvcc->real_path.empty() && nvcc->real_path != nvcc->path) {
            files.push_back(nvcc->real_path);
            files.push_back(join_path(parent_path(nvcc->real_path), "nvcc.profile"));
        }
    }
    for (const std::string& wrapper : toolkit.wrappers) files.push_back(wrapper);
    if (const Part* libdevice = toolkit.part(PartKind::libdevice)) files.push_back(libdevice->path);
    if (!host_compiler.path.empty()) files.push_back(host_compiler.path);
    if (path_decides) question.asked = host.env("PATH").value_or("") + "\n";
    return question;
}

Question file_question(const std::string& path, Command command, const std::string& asked) {
    Question question;
    question.command = std::move(command);
    question.decided_by = {path};
    question.asked = asked;
    return question;
}

}  // namespace ptxguard
