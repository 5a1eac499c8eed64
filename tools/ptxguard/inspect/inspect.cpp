// Reads each BinaryFile independently of errors in the others.
// SPDX-License-Identifier: Apache-2.0
#include "inspect/inspect.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {

void read_binary(const Host& host, const Facts& facts, const std::string& path, const Source& source,
                 bool deep, const Visit& visit) {
    Budget budget;
    Reading reading{facts, deep, budget, {}};
    read_at(host, reading, Place{path, parent_path(path), source}, source, visit);
}

void inspect(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
             const InspectOptions& options, Scenario& scenario) {
    for (const std::string& path : paths) {
        const Result<Source> source = host.open(path);
        if (!source) {
            scenario.unreadable.push_back(
                {path, source.trouble().what + ": " + source.trouble().cause, true, Origin::from_file(path)});
            continue;
        }
        std::vector<BinaryFile>& all = scenario.binaries;
        const auto first = static_cast<std::ptrdiff_t>(all.size());
        read_binary(host, facts, path, *source, options.deep,
                    [&](BinaryFile&& file, const Source&) { all.push_back(std::move(file)); });
        // An archive is complete once its members are known, and is listed before them.
        std::rotate(all.begin() + first, all.end() - 1, all.end());
    }
}

}  // namespace ptxguard
