// A progress line on the terminal of standard error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace ptxguard::own {

// Shown after half a second, removed at the end. Nothing if standard error is not a terminal.
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
