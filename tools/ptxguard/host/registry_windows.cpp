// The registry is only read.
// SPDX-License-Identifier: Apache-2.0
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

// Windows appends the user's PATH to that of the machine; other variables of the user replace the machine's.
void add_variables(HKEY where, const wchar_t* name, Environment& environment) {
    HKEY key = nullptr;
    if (RegOpenKeyExW(where, name, 0, KEY_QUERY_VALUE, &key) != ERROR_SUCCESS) return;
    std::wstring variable_name(k_name_buffer, L'\0'), text(k_value_buffer, L'\0');
    for (DWORD i = 0;; ++i) {
        DWORD name_size = k_name_buffer, type = 0;
        DWORD bytes =
            (k_value_buffer - 1) * sizeof(wchar_t);  // the registry may store texts without their end
        const LSTATUS status = RegEnumValueW(key, i, variable_name.data(), &name_size, nullptr, &type,
                                             reinterpret_cast<BYTE*>(text.data()), &bytes);
        if (status != ERROR_SUCCESS && status != ERROR_MORE_DATA) break;
        if (status == ERROR_MORE_DATA || (type != REG_SZ && type != REG_EXPAND_SZ)) continue;
        text[bytes / sizeof(wchar_t)] = L'\0';
        const std::string names = narrow(std::wstring_view(variable_name.data(), name_size));
        std::string value = type == REG_EXPAND_SZ ? expanded(text.c_str()) : narrow(text.c_str());
        const auto of_machine = variable(environment, names, System::windows);
        if (of_machine && lower(names) == "path") value = *of_machine + ";" + value;
        set_variable(environment, names, value, System::windows);
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

}  // namespace ptxguard::platform
