// Functions that may fail return a Result: the value, or a Trouble with the subject, what is wrong with it
// and why. No exception crosses a room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace ptxguard {

struct Trouble {
    std::string subject;     // file, variable, option ... that the sentence is about
    std::string what;        // "is not a number", "cannot be read"
    std::string cause;       // the system's own message; may be empty
    std::string limit = {};  // "1000 Docker stages": it was read up to this limit (Limit::text)

    // "SUBJECT WHAT: CAUSE", the form in messages.
    std::string text() const { return subject + " " + what + (cause.empty() ? "" : ": " + cause); }
};

template <typename T>
class Result {
public:
    Result(T value) : m_value(std::move(value)) {}
    Result(Trouble trouble) : m_trouble(std::move(trouble)) {}

    explicit operator bool() const { return m_value.has_value(); }
    T& operator*() { return *m_value; }
    const T& operator*() const { return *m_value; }
    T* operator->() { return &*m_value; }
    const T* operator->() const { return &*m_value; }
    const Trouble& trouble() const { return m_trouble; }

private:
    std::optional<T> m_value;
    Trouble m_trouble;
};

}  // namespace ptxguard
