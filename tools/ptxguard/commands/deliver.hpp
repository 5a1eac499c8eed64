// Where a report goes, and in which format, width and colours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "commands/settings.hpp"
#include "host/host.hpp"
#include "host/output.hpp"
#include "model/json.hpp"
#include "report/report.hpp"

namespace ptxguard {

// own::print or own::print_error.
using Print = void (*)(const std::string& text);

// Columns of standard output: COLUMNS, else the terminal's width, else 80.
std::size_t width_of_output(const Host& machine);
const ReportFormat& format_of(const Settings& settings);
const ReportFormat& format_named(const std::string& name);  // the text for an unknown name
// Writes the report to the file of -o, and then `text` to standard output; without -o only to standard
// output.
std::optional<Trouble> write_report(const Settings& settings, const std::string& asked,
                                    const std::string& text, Print print = own::print);
// For commands with members of their own: as JSON the envelope with these members, which replace those of
// the same name, else the text. Returns the exit code.
int deliver_members(const Settings& settings, const Report& report, const Json& members,
                    const std::string& text, int exit_code);
std::optional<Trouble> deliver(const Settings& settings, const Report& report, Print print = own::print);

}  // namespace ptxguard
