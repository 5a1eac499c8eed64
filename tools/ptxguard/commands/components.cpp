// SPDX-License-Identifier: Apache-2.0
#include "commands/components.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace ptxguard {

Result<Component> parse_component(std::string text) {
    Component component;
    component.optional = ends_with(text, "?");
    if (component.optional) text.pop_back();
    component.text = text;
    const std::size_t bounds = std::min(text.find_first_of("<>="), text.size());
    component.name = text.substr(0, bounds);
    for (const std::string& bound : split(std::string_view(text).substr(bounds), ",")) {
        const std::size_t digits = std::min(bound.find_first_not_of("<>="), bound.size());
        const std::string relation = bound.substr(0, digits);
        const auto version = parse_version(trim(bound.substr(digits)));
        const bool known =
            relation == "==" || relation == ">=" || relation == "<=" || relation == ">" || relation == "<";
        if (!known || !version)
            return Trouble{"COMPONENTS", "cannot read '" + text + "'",
                           "NAME, NAME==2.11, or NAME with >=, <=, > or <"};
        component.bounds.push_back({relation, *version});
    }
    return component;
}

bool is_library(const Component& component) {
    const std::string name = lower(component.name);
    return name == "cudnn" || name == "cublas";
}

}  // namespace ptxguard
