// The registry is only read.
// SPDX-License-Identifier: Apache-2.0
#include <cwchar>

#include "host/names.hpp"
#include "host/platform.hpp"
#include "host/wide_windows.hpp"
#include "model/text.hpp"

namespace ptxguard::platform {
namespace {

constexpr DWORD k_name_buffer = 16384, k_value_buffer = 32768;  // characters, of Windows itself

std::string expanded(const wchar_t* text) {
    std::wstring result(k_value_buffer, L'\0');
    const DWORD size = ExpandEnvironmentStringsW(text, result.data(), k_value_buffer);
    if (size == 0 || size > k_value_buffer) return narrow(text);
    result.resize(size - 1);
    return narrow(result);
}

// One value, as far as it is text, a list of texts or a number.
struct RegistryValue {
    std::string name, text;
    DWORD type = REG_NONE;
};

std::string list_text(const wchar_t* text, std::size_t letters) {
    std::string lines;
    for (std::size_t at = 0; at < letters && text[at] != L'\0'; at += std::wcslen(text + at) + 1)
        lines += narrow(text + at) + "\n";
    return lines;
}

std::vector<RegistryValue> values_of(HKEY key) {
    std::vector<RegistryValue> values;
    std::wstring name(k_name_buffer, L'\0'), text(k_value_buffer, L'\0');
    for (DWORD i = 0;; ++i) {
        DWORD name_size = k_name_buffer, type = 0;
        DWORD bytes =
            (k_value_buffer - 2) * sizeof(wchar_t);  // the registry may store texts without their end
        const LSTATUS status = RegEnumValueW(key, i, name.data(), &name_size, nullptr, &type,
                                             reinterpret_cast<BYTE*>(text.data()), &bytes);
        if (status != ERROR_SUCCESS && status != ERROR_MORE_DATA) return values;
        if (status == ERROR_MORE_DATA) continue;
        const std::size_t letters = bytes / sizeof(wchar_t);
        text[letters] = text[letters + 1] = L'\0';
        RegistryValue value{narrow(std::wstring_view(name.data(), name_size)), "", type};
        if (type == REG_SZ)
            value.text = narrow(text.c_str());
        else if (type == REG_EXPAND_SZ)
            value.text = expanded(text.c_str());
        else if (type == REG_MULTI_SZ)
            value.text = list_text(text.c_str(), letters);
        else if (type == REG_DWORD && bytes == sizeof(DWORD))
            value.text = std::to_string(text[0] | static_cast<DWORD>(text[1]) << 16);
        else
            continue;
        values.push_back(std::move(value));
    }
}

std::vector<std::string> keys_below(HKEY key) {
    std::vector<std::string> keys;
    std::wstring name(k_name_buffer, L'\0');
    for (DWORD i = 0;; ++i) {
        DWORD size = k_name_buffer;
        if (RegEnumKeyExW(key, i, name.data(), &size, nullptr, nullptr, nullptr, nullptr) != ERROR_SUCCESS)
            return keys;
        keys.push_back(narrow(std::wstring_view(name.data(), size)));
    }
}

// Windows appends the user's PATH to that of the machine; other variables of the user replace the machine's.
void add_variables(HKEY where, const wchar_t* name, Environment& environment) {
    HKEY key = nullptr;
    if (RegOpenKeyExW(where, name, 0, KEY_QUERY_VALUE, &key) != ERROR_SUCCESS) return;
    for (RegistryValue& value : values_of(key)) {
        if (value.type != REG_SZ && value.type != REG_EXPAND_SZ) continue;
        const auto of_machine = variable(environment, value.name, System::windows);
        if (of_machine && lower(value.name) == "path") value.text = *of_machine + ";" + value.text;
        set_variable(environment, value.name, value.text, System::windows);
    }
    RegCloseKey(key);
}

}  // namespace

Environment later_environment() {
    Environment environment;
    add_variables(HKEY_LOCAL_MACHINE, L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment",
                  environment);
    add_variables(HKEY_CURRENT_USER, L"Environment", environment);
    return environment;
}

std::optional<RegistryKey> registry(const std::string& name) {
    HKEY key = nullptr;
    const REGSAM access = KEY_QUERY_VALUE | KEY_ENUMERATE_SUB_KEYS | KEY_WOW64_64KEY;
    if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, wide(name).c_str(), 0, access, &key) != ERROR_SUCCESS)
        return std::nullopt;
    RegistryKey read;
    for (RegistryValue& value : values_of(key)) read.values[value.name] = std::move(value.text);
    read.keys = keys_below(key);
    RegCloseKey(key);
    return read;
}

}  // namespace ptxguard::platform
