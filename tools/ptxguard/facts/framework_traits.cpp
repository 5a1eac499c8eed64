// SPDX-License-Identifier: Apache-2.0
#include "facts/framework_traits.hpp"

#include "facts/tables.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

void read_traits(FactRow& in, FrameworkTraits& traits) {
    PTXGUARD_ALWAYS(in, traits.framework);
    PTXGUARD_FIELDS(in, traits.packages, traits.holds, traits.cxx_interface, traits.build_variables,
                    traits.cuda_runtime, traits.compiles, traits.nvrtc_cubins, traits.cudnn,
                    traits.cudnn_of_build, traits.cuda_is_plugin, traits.needs_at_use_from,
                    traits.links_driver_below, traits.requires_libraries_from, traits.named_as,
                    traits.ptx_refused_from, traits.compiles_from, traits.opens_now);
    traits.origin = in.origin(traits.framework);
    if (traits.packages.empty()) in.reader().complain("framework", traits.framework, "names no packages");
}

}  // namespace

std::vector<FrameworkTraits> read_framework_traits(FactReader& reader, const Json& root) {
    std::vector<FrameworkTraits> rows;
    read_rows(reader, root["rows"], rows, read_traits);
    return rows;
}

const std::vector<FrameworkTraits>& Facts::framework_traits() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->framework_traits();
}

const FrameworkTraits& framework_traits(const Facts& facts, const std::string& framework) {
    static const FrameworkTraits unlisted;
    for (const FrameworkTraits& row : facts.framework_traits())
        if (row.framework == framework) return row;
    return unlisted;
}

std::vector<const FrameworkTraits*> consumers_named(const Facts& facts, const std::string& consumer) {
    std::vector<const FrameworkTraits*> named;
    for (const FrameworkTraits& row : facts.framework_traits())
        if (row.framework == consumer || contains(row.holds, consumer)) named.push_back(&row);
    return named;
}

}  // namespace ptxguard
