// SPDX-License-Identifier: Apache-2.0
#include "commands/named_gpus.hpp"

#include "commands/node_types.hpp"
#include "model/arch.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// "sm90" -> "sm_90".
std::string underscored(const std::string& name) {
    const std::size_t digit = name.find_first_of("0123456789");
    const std::string before = lower(name.substr(0, digit));
    return before == "sm" || before == "compute" ? before + "_" + name.substr(digit) : name;
}

}  // namespace

std::optional<Trouble> check_gpus(const Settings& settings, const Facts& facts) {
    std::vector<std::string> names = settings.all("gpu");
    for (const NodeType& node : node_types(settings)) append(names, node.gpus);
    for (const std::string& name : names) {
        if (parse_arch(name) || facts.gpu_by_name(name)) continue;
        const std::string other = underscored(name);
        const bool known = parse_arch(other).has_value();
        const std::string meant =
            known ? ", did you mean '" + other + "'?" : did_you_mean(name, facts.gpu_names());
        const char* option = settings.has("node") && !settings.has("gpu") ? "node" : "gpu";
        return Trouble{written(option, settings.origin(option)),
                       "names an unknown GPU '" + name + "'" + meant,
                       meant.empty() ? "a name such as RTX 3090, or its compute capability such as 8.6" : ""};
    }
    return std::nullopt;
}

}  // namespace ptxguard
