// Which members of a scenario are lists, and which are numbers, from the structs' field lists:
// "traces[].searched".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <type_traits>

#include "every_member.hpp"
#include "model/scenario.hpp"

struct CaseMembers {
    std::set<std::string> lists, numbers;
};

// A visitor of field lists.
class MemberKinds : public EveryMember<MemberKinds> {
public:
    static constexpr bool reads = false;
    MemberKinds(CaseMembers& members, std::string path) : m_members(members), m_path(std::move(path)) {}

    template <typename... T>
    void fields(const char* names, T&... values) {
        ptxguard::FieldNames name(names);
        (take(m_path + name.next(), values), ...);
    }
    template <typename T>
    void inlined(std::optional<T>& value) {
        value.emplace().fields(*this);
    }
    void entries(ptxguard::BinaryFile&) {
        ptxguard::DeviceEntry entry;
        std::string section;
        MemberKinds inner(m_members, m_path + "entries[].");
        entry.fields(inner, section);
    }

private:
    void take(const std::string&, std::string&) {}
    void take(const std::string&, ptxguard::LoadRule&) {}
    void take(const std::string&, ptxguard::Version&) {}
    void take(const std::string&, ptxguard::PtxVersion&) {}
    void take(const std::string&, ptxguard::Arch&) {}
    template <typename T>
    void take(const std::string& path, std::optional<T>& value) {
        take(path, value.emplace());
    }
    template <typename T>
    void take(const std::string& path, ptxguard::Known<T>& known) {
        take(path, known.value);
        take(path + ".origin", known.origin);
    }
    template <typename T>
    void take(const std::string& path, std::vector<T>& values) {
        m_members.lists.insert(path);
        take(path + "[]", values.emplace_back());
    }
    template <typename T>
    void take(const std::string& path, T& value) {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) m_members.numbers.insert(path);
        if constexpr (!std::is_arithmetic_v<T> && !std::is_enum_v<T>) {
            MemberKinds inner(m_members, path + ".");
            value.fields(inner);
        }
    }

    CaseMembers& m_members;
    const std::string m_path;
};

inline const CaseMembers& case_members() {
    static const CaseMembers all = [] {
        CaseMembers members;
        ptxguard::Scenario scenario;
        MemberKinds kinds(members, "");
        scenario.fields(kinds);
        return members;
    }();
    return all;
}
