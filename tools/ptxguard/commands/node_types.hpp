// --node [NAME=]GPU[,GPU...]:DRIVER and [nodes] of a configuration: the node types of a cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "commands/settings.hpp"

namespace ptxguard {

struct NodeType {
    std::string name;               // "h100"; without one "H100:580"
    std::vector<std::string> gpus;  // as --gpu takes them
    std::string driver;
};

Result<NodeType> parse_node_type(const std::string& text);
std::vector<NodeType> node_types(const Settings& settings);

}  // namespace ptxguard
