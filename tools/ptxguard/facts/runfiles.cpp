// SPDX-License-Identifier: Apache-2.0
#include "facts/runfiles.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

std::vector<Runfile> read_runfiles(FactReader& reader, const Json& root) {
    std::vector<Runfile> all;
    read_rows(reader, root["rows"], all, [](FactRow& in, Runfile& row) {
        PTXGUARD_ALWAYS(in, row.release, row.update, row.driver);
        row.origin = in.origin(row.update);
    });
    return all;
}

const std::vector<Runfile>& Facts::runfiles() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->runfiles();
}

std::string Runfile::name(const std::string& machine) const {
    return "cuda_" + update + "_" + driver + "_" + machine + ".run";
}

std::string Runfile::address(const std::string& machine) const {
    return "https://developer.download.nvidia.com/compute/cuda/" + update + "/local_installers/" +
           name(machine);
}

const Runfile* runfile_of(const Facts& facts, const Version& release) {
    return first_where(facts.runfiles(),
                       [&](const Runfile& row) { return same_release(*row.release, release); });
}

}  // namespace ptxguard
