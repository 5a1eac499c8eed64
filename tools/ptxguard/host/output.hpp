// Our output to the caller: the file of -o, standard output and standard error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace ptxguard::own {

// The file that the user names. A device, a FIFO and the target of a link are opened and written; only a
// regular file is replaced (own::write_file).
std::optional<Trouble> write_output(const std::string& path, const std::string& bytes);

// To standard output, including zero bytes. finish_printing() reports failures.
void print(const std::string& text);
// An error if not everything printed was written (a full disk, a closed stream).
std::optional<Trouble> finish_printing();

// Columns of the terminal on standard output, or on standard error; 0 = not a terminal.
std::size_t terminal_width(bool of_errors = false);

// To standard error, of a report that is visible already.
void print_error(const std::string& text);

bool stderr_is_terminal();
// One line on standard error, made visible.
void complain(const std::string& line);

}  // namespace ptxguard::own
