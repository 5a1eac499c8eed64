// Base of a visitor of field lists that treats all members alike, including optional ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

template <typename Visitor>
class EveryMember {
public:
    template <typename... T>
    void always(const char* names, T&... values) {
        static_cast<Visitor*>(this)->fields(names, values...);
    }
    template <typename T>
    void when(const char* name, T& value, bool) {
        static_cast<Visitor*>(this)->fields(name, value);
    }
};
