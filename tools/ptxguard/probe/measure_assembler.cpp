// A ptxas without an nvcc: measures the newest version that it accepts, then each architecture of the build.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/measure.hpp"
#include "probe/ptx_source.hpp"
#include "probe/work_folder.hpp"

namespace ptxguard {
namespace {

// Supported by every ptxas since CUDA 11.0; ptxas refuses the version before it looks at the target.
constexpr Arch k_any_arch{80, 0};

bool write_ptx(const std::string& folder, Arch arch, PtxVersion version) {
    return !own::write_file(join_path(folder, stem_of(arch) + ".ptx"), minimal_ptx(version, arch));
}

Command command_for(const Compiler& compiler, const std::string& folder, Arch arch) {
    Command command = assemble_command(compiler, arch, stem_of(arch));
    command.directory = folder;
    return command;
}

// "Unsupported .version 99.9; current version is '8.7'"
std::optional<PtxVersion> newest_version(const Host& host, const Compiler& compiler,
                                         const std::string& folder) {
    if (!write_ptx(folder, k_any_arch, k_absurd_ptx_version)) return std::nullopt;
    ProcessResult run = host.run(command_for(compiler, folder, k_any_arch));
    return current_version_in(run.err + run.out);
}

std::vector<Arch> archs_of(const Scenario& scenario) {
    std::vector<Arch> archs;
    for (const Target& target : scenario.project.archs.targets) archs.push_back(target.arch);
    return archs;
}

}  // namespace

std::vector<ProbeResult> measure_assembler(const Host& host, const ProbeOptions& options,
                                           const Scenario& scenario, const Toolkit& toolkit) {
    const Part* ptxas = toolkit.part(PartKind::ptxas);
    const std::vector<Arch> archs = archs_of(scenario);
    WorkFolder work;
    if (!ptxas || !ptxas->trouble.empty() || archs.empty()) return {};
    auto folder = work.path();
    if (!folder) return {};

    Compiler compiler;
    auto real = host.real_path(ptxas->path);  // it runs in another folder than ours
    compiler.ptxas = real ? *real : ptxas->path;
    compiler.system = host.system();
    compiler.time_limit = options.time_limit;
    std::optional<PtxVersion> newest = newest_version(host, compiler, *folder);
    if (!newest) return {};

    std::vector<Command> commands;
    for (Arch arch : archs) {
        if (!write_ptx(*folder, arch, *newest)) return {};
        commands.push_back(command_for(compiler, *folder, arch));
    }
    std::vector<ProcessResult> runs = host.run_all(commands);
    std::vector<ProbeResult> results;
    for (std::size_t i = 0; i < archs.size() && i < runs.size(); ++i) {
        ProbeResult result;
        result.kind = ProbeKind::assemble;
        result.toolkit = toolkit.id;
        result.tool = ptxas->path;
        result.tool_version = ptxas->version.value;
        result.target = archs[i];
        result.ptx = newest;
        result.command = command_line(commands[i]);
        auto made = read_own_file(join_path(*folder, commands[i].argv.back()));
        take_run(result, runs[i], diagnose(runs[i], ProbeKind::assemble, "ptxas", made && !made->empty()));
        result.accepts_up_to = newest;
        results.push_back(std::move(result));
    }
    return results;
}

}  // namespace ptxguard
