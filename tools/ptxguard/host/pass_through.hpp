// Runs a program as if ptxguard were not there: its input, terminal, output, signals and exit code are the
// caller's. What it writes is also kept, so that a failure can be explained.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/limit.hpp"
#include "model/result.hpp"

namespace ptxguard::own {

// The first and the last bytes of an output.
class KeptOutput {
public:
    void add(const char* bytes, std::size_t size);
    // Both parts; between them a line with the number of bytes that are left out.
    std::string text() const;
    // An error about `program` if both parts are not the whole output.
    std::optional<Trouble> limit(const std::string& program) const {
        return k_most_output.trouble_beyond(m_total, program);
    }

private:
    static constexpr std::size_t k_head = 4u << 20, k_tail = 8u << 20;
    static constexpr Limit k_most_output{k_head + k_tail, "bytes of output",
                                         "what is between its first 4 MB and its last 8 MB"};
    std::string m_head, m_tail;  // m_tail is a ring from k_tail bytes
    std::size_t m_at = 0;        // where the ring begins
    std::size_t m_total = 0;
};

struct PassedThrough {
    int exit_code = 0;  // of an exited program
    int signal = 0;     // that ended it (POSIX); 0 = it exited
    KeptOutput output;
    bool failed() const { return exit_code != 0 || signal != 0; }
};

// An error if the program cannot be started.
Result<PassedThrough> pass_through(const std::vector<std::string>& command);

// Ends this process as the program ended: by the same signal (POSIX).
void end_by_signal(int signal);

}  // namespace ptxguard::own
