// A ptxas without an nvcc: measures the newest version that it accepts, then each architecture of the build.
// SPDX-License-Identifier: Apache-2.0
#include "ask/questions.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/key.hpp"
#include "probe/limit.hpp"
#include "probe/measure.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {
namespace {

std::vector<Arch> archs_of(const Scenario& scenario) {
    std::vector<Arch> archs;
    for (const Target& target : scenario.project.archs.targets) archs.push_back(target.arch);
    return archs;
}

}  // namespace

std::vector<ProbeResult> measure_assembler(const Asker& ask, const ProbeOptions& options,
                                           const Scenario& scenario, const Toolkit& toolkit) {
    const Part* ptxas = toolkit.part(PartKind::ptxas);
    const std::vector<Arch> archs = archs_of(scenario);
    if (!ptxas || !ptxas->trouble.empty() || archs.empty()) return {};
    const auto real = ask.host().real_path(ptxas->path);  // it runs in another folder than ours
    const std::string program = real ? *real : ptxas->path;
    const auto newest = ptxas_limits(ask, {program}, options.time_limit).front().accepts_up_to;
    if (!newest) return {};

    Questions questions(ask);
    std::vector<ProbeResult> results(archs.size());
    for (std::size_t i = 0; i < archs.size(); ++i) {
        const std::string input = stem_of(archs[i]) + ".ptx", output = archs[i].sm() + ".cubin";
        const std::string text = minimal_ptx(*newest, archs[i]);
        Question question =
            file_question(program, ptxas_command(program, archs[i], input, output, options.time_limit),
                          "ptxas " + archs[i].sm() + " " + digest(text));
        question.reads = {{input, text}};
        question.makes = {output};
        ProbeResult& result = results[i];
        result.kind = ProbeKind::assemble;
        result.toolkit = toolkit.id;
        result.tool = ptxas->path;
        result.tool_version = ptxas->version.value;
        result.target = archs[i];
        result.ptx = newest;
        result.command = command_line(question.command);
        questions.add(std::move(question), [&result, newest](const Answer& answer) {
            take_run(result, answer, diagnose(answer, ProbeKind::assemble, "ptxas", !answer.made.empty()));
            result.accepts_up_to = newest;
            return worth_keeping(result);
        });
    }
    questions.run();
    return results;
}

}  // namespace ptxguard
