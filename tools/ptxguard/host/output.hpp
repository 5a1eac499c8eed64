// What we write for whoever called us: the file of -o, standard output and standard error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace ptxguard::own {

// The file that the user names. A device, a FIFO and what a link leads to are opened and written; only a
// regular file is replaced (own::write_file).
std::optional<Trouble> write_output(const std::string& path, const std::string& bytes);

// On standard output, zero bytes and all. What fails is told by finish_printing().
void print(const std::string& text);
// Trouble where not all that was printed has arrived (a full disk, a closed stream).
std::optional<Trouble> finish_printing();

// Columns of the terminal on standard output; 0 = it is none.
std::size_t terminal_width();

bool stderr_is_terminal();
// One line on standard error.
void complain(const std::string& line);

}  // namespace ptxguard::own
