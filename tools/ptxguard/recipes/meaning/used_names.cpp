// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/used_names.hpp"

#include "facts/recipe_tables.hpp"
#include "model/ranges.hpp"
#include "recipes/builds/source_names.hpp"

namespace ptxguard::recipes {
namespace {

// 12040 for 12.4, as CUDART_VERSION; 8907 and 90100 for cuDNN 8.9.7 and 9.1.0.
long number_of(const Version& version, bool of_cudnn) {
    if (!of_cudnn) return version.major() * 1000L + version.minor() * 10L;
    const long patch = version.numbers.size() > 2 ? version.numbers[2] : 0;
    return version.major() < 9 ? version.major() * 1000L + version.minor() * 100L + patch
                               : version.major() * 10000L + version.minor() * 100L + patch;
}

// Whether the conditions of the source include it; one about another library is not known.
bool includes(const NameRange& range, const Known<Version>& here, bool of_cudnn) {
    if (range.from == 0 && range.to == 0) return true;
    if (range.of_cudnn != of_cudnn) return false;
    const long number = number_of(*here, of_cudnn);
    return number >= range.from && (range.to == 0 || number < range.to);
}

}  // namespace

void UsedNames::take(const Command& command) {
    if (!command.words.empty() && command.words[0].text == k_used_names) m_sources.push_back(command);
}

void UsedNames::fill(const Facts& facts, Scenario& scenario) const {
    const Toolkit* toolkit = scenario.build_toolkit();
    const Part* nvcc = toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
    RecipeFacts& recipe = scenario.recipe;
    for (const Command& source : m_sources)
        for (std::size_t i = 1; i + 1 < source.words.size(); i += 2) {
            const Written& name = source.words[i];
            const RemovedNames* row = recipe_tables(facts).removed_name(name.text);
            if (!row) continue;
            const bool of_cudnn = row->cudnn_to.has_value();
            const Known<Version> here = of_cudnn ? recipe.libraries_cudnn
                                        : nvcc   ? nvcc->version
                                                 : Known<Version>{};
            if (here && includes(NameRange::read(source.words[i + 1].text), here, of_cudnn))
                recipe.parts.push_back({name.text, name.text, false, origin_of(name)});
        }
}

}  // namespace ptxguard::recipes
