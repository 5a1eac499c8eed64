// The setup that our main functions share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ptxguard {

// Lives as long as main. A closed standard stream stays unwritable, instead of becoming the next opened file;
// a file size limit makes a write fail, instead of ending us. On Windows the console uses UTF-8 meanwhile.
class ProcessSetup {
public:
    ProcessSetup();
    ~ProcessSetup();  // NOLINT(performance-trivially-destructible): on Windows it does something
    ProcessSetup(const ProcessSetup&) = delete;
    ProcessSetup& operator=(const ProcessSetup&) = delete;

private:
    [[maybe_unused]] unsigned m_code_page = 0;  // of the console before
};

// Without argv[0], as UTF-8 (Windows: from the wide command line).
std::vector<std::string> utf8_arguments(int argc, char** argv);

// Calls `work`, which must not throw, in a thread of its own if our stack is too small for it (ulimit -s).
int with_enough_stack(const std::function<int()>& work);

}  // namespace ptxguard
