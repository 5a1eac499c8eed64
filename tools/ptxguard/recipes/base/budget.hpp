// What one run of lint may spend on reading recipes and on what they mean. It grows with what is read, so the
// time of a run is at most proportional to the size of its input, whatever the input says: loops in loops,
// texts of texts, files that are read again for each command.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "model/limit.hpp"

namespace ptxguard::recipes {

// A step is about a command of a shell: some microseconds.
class Budget {
public:
    Budget() = default;
    // Of a text that is read apart from the run.
    explicit Budget(std::size_t steps) : m_all(steps), m_left(steps) {}

    // False: nothing is left, and who asked has to stop.
    bool spend(std::size_t steps = 1) {
        m_over = m_over || steps > m_left;
        m_left = m_over ? 0 : m_left - steps;
        return !m_over;
    }
    // For a text of this size that is made of others or read again.
    bool spend_bytes(std::size_t bytes) { return spend(bytes / k_bytes_in_a_step); }
    // For a command or value at `at`, which has a file, a line and a column.
    template <class At>
    bool spend_at(const At& at, std::size_t steps, std::size_t bytes = 0) {
        spend(steps + bytes / k_bytes_in_a_step);
        return !is_over_at(at);
    }
    // A file that was not read before.
    void add_input(std::size_t bytes) {
        m_all += bytes * k_steps_for_a_byte;
        m_left += bytes * k_steps_for_a_byte;
    }
    bool is_over() const { return m_over; }
    template <class At>
    bool is_over_at(const At& at) {
        if (m_over && m_place.file.empty()) m_place = {at.file, at.line, at.column};
        return m_over;
    }

    // Where it was over: the first place that a reader names. Lint reports it once for the run.
    struct Place {
        std::string file;
        int line = 0, column = 0;
    };
    const Place& place() const { return m_place; }
    Limit limit() const { return {m_all, "steps for recipes of this size", "the rest"}; }

private:
    // For a few files that loop and include much; reading a text once takes less than this for each byte.
    static constexpr std::size_t k_first = 500000, k_steps_for_a_byte = 4, k_bytes_in_a_step = 64;

    std::size_t m_all = k_first;
    std::size_t m_left = k_first;
    bool m_over = false;
    Place m_place;
};

}  // namespace ptxguard::recipes
