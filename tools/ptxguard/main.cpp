// argv -> command -> exit code; nothing else.
// SPDX-License-Identifier: Apache-2.0

#include "commands/command.hpp"
#include "host/main_arguments.hpp"

int main(int argc, char** argv) {
    const ptxguard::ProcessSetup setup;
    return ptxguard::with_enough_stack(
        [&] { return ptxguard::run_command_line(ptxguard::utf8_arguments(argc, argv)); });
}
