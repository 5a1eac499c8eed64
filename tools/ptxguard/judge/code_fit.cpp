// SPDX-License-Identifier: Apache-2.0
#include "judge/code_fit.hpp"

#include "judge/entry_fit.hpp"
#include "judge/rule.hpp"

namespace ptxguard {

CodeFit code_fit(const std::vector<Target>& code, Arch gpu, const Scenario& scenario, const Facts& facts) {
    static const BinaryFile none;
    const Arch base{gpu.number, 0};
    const RunQuestion question{none, nullptr, scenario, facts, base, facts.arch(base)};
    bool open = false, ptx = false;
    for (const Target& target : code) {
        const auto cubin = target.real ? cubin_fits(question, target.arch) : ArchFit{false, ""};
        if (cubin.fits.value_or(false)) return CodeFit::cubin;
        const auto text = target.ptx ? ptx_fits(question, target.arch) : ArchFit{false, ""};
        ptx = ptx || text.fits.value_or(false);
        open = open || !cubin.fits || !text.fits;
    }
    return ptx ? CodeFit::ptx : open ? CodeFit::open : CodeFit::none;
}

std::vector<const Gpu*> gpus_judged(const Scenario& scenario) {
    std::vector<const Gpu*> declared, found;
    for (const Gpu& gpu : scenario.gpus)
        if (gpu.arch) (gpu.declared ? declared : found).push_back(&gpu);
    return declared.empty() ? found : declared;
}

}  // namespace ptxguard
