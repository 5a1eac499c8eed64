// SPDX-License-Identifier: Apache-2.0
#include "commands/node_types.hpp"

#include "model/text.hpp"

namespace ptxguard {

Result<NodeType> parse_node_type(const std::string& text) {
    const std::size_t equals = text.find('='), colon = text.rfind(':');
    const std::size_t start = equals == std::string::npos ? 0 : equals + 1;
    NodeType node;
    if (colon != std::string::npos && colon > start) {
        node.name = trim(equals == std::string::npos ? text : text.substr(0, equals));
        node.driver = trim(text.substr(colon + 1));
        for (const std::string& gpu : split(text.substr(start, colon - start), ","))
            node.gpus.push_back(trim(gpu));
    }
    const auto driver = parse_version(node.driver);
    if (node.name.empty() || node.gpus.empty() || !driver || driver->major() < 100 || driver->major() > 999)
        return Trouble{"node", "needs GPU:DRIVER or NAME=GPU:DRIVER, not '" + text + "'",
                       "for example h100=H100:580.65.06"};
    return node;
}

std::vector<NodeType> node_types(const Settings& settings) {
    std::vector<NodeType> nodes;
    for (const std::string& text : settings.all("node"))
        if (auto node = parse_node_type(text)) nodes.push_back(std::move(*node));
    return nodes;
}

}  // namespace ptxguard
