// One line on the terminal of standard error that says what is being done.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace ptxguard::own {

// From half a second on, and gone at the end. Nothing where standard error is no terminal.
class Progress {
public:
    explicit Progress(bool wanted);
    ~Progress();
    void say(const std::string& what);

private:
    struct Line;
    std::unique_ptr<Line> m_line;
};

}  // namespace ptxguard::own
