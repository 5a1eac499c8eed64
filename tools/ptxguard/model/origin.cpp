// Constructors of origins, and their one-line form.
// SPDX-License-Identifier: Apache-2.0
#include "model/origin.hpp"

namespace ptxguard {
namespace {

Origin origin_of(OriginKind kind, Certainty certainty) {
    Origin origin;
    origin.kind = kind;
    origin.certainty = certainty;
    return origin;
}

}  // namespace

Origin Origin::from_command(std::string path, std::string command) {
    Origin origin = origin_of(OriginKind::command, Certainty::measured);
    origin.path = std::move(path);
    origin.command = std::move(command);
    return origin;
}

Origin Origin::from_file(std::string path, int line) {
    Origin origin = origin_of(OriginKind::file, Certainty::read);
    origin.path = std::move(path);
    origin.line = line;
    return origin;
}

Origin Origin::from_variable(std::string name, std::string text) {
    Origin origin = origin_of(OriginKind::variable, Certainty::read);
    origin.variable = std::move(name);
    origin.text = std::move(text);
    return origin;
}

Origin Origin::from_option(std::string option) {
    Origin origin = origin_of(OriginKind::option, Certainty::declared);
    origin.variable = std::move(option);
    return origin;
}

Origin Origin::from_table(std::string row_and_source) {
    Origin origin = origin_of(OriginKind::table, Certainty::predicted);
    origin.text = std::move(row_and_source);
    return origin;
}

Origin Origin::from_library(std::string path, std::string text, Certainty certainty) {
    Origin origin = origin_of(OriginKind::library, certainty);
    origin.path = std::move(path);
    origin.text = std::move(text);
    return origin;
}

bool Origin::is_at(const Origin& other) const {
    return path == other.path && line == other.line && column == other.column;
}

Origin Origin::shown_as(std::string text_) const {
    Origin origin = *this;
    origin.text = std::move(text_);
    return origin;
}

std::string Origin::for_people() const {
    if (!text.empty()) return text;
    switch (kind) {
        case OriginKind::command: return command.empty() ? path : command;
        case OriginKind::file:
        case OriginKind::log: return line > 0 ? path + ":" + std::to_string(line) : path;
        case OriginKind::library: return path;
        case OriginKind::variable:
        case OriginKind::option: return variable.empty() ? path : "from " + variable;
        case OriginKind::table: return path;
        case OriginKind::none: break;
    }
    return path;
}

}  // namespace ptxguard
