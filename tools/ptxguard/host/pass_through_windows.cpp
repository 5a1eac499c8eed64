// The program keeps our input and console; its output comes through pipes. Ctrl-C reaches it directly.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <mutex>

#include "host/pass_through.hpp"
#include "host/platform.hpp"
#include "host/thread.hpp"
#include "host/wide_windows.hpp"

namespace ptxguard::own {
namespace {

using platform::Handle;

struct PassedStream {
    DWORD ours;
    Handle from, to;
};

bool open_stream_pipe(PassedStream& stream) {
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    HANDLE from = nullptr, to = nullptr;
    if (!CreatePipe(&from, &to, &inherited, 1 << 20)) return false;
    stream.from = Handle(from);
    stream.to = Handle(to);
    return SetHandleInformation(from, HANDLE_FLAG_INHERIT, 0) != 0;
}

// Ctrl-C is for the program; a handler, unlike ignoring the key, is not inherited.
BOOL WINAPI stay_alive(DWORD event) { return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT; }

void relay_stream(PassedStream& stream, std::mutex& lock, KeptOutput& output) {
    std::string buffer(1 << 18, '\0');
    const HANDLE ours = GetStdHandle(stream.ours);
    DWORD got = 0;
    while (ReadFile(stream.from.get(), buffer.data(), static_cast<DWORD>(buffer.size()), &got, nullptr) &&
           got > 0) {
        for (DWORD at = 0, put = 0; at < got; at += put)
            if (!WriteFile(ours, buffer.data() + at, got - at, &put, nullptr) || put == 0) return;
        const std::lock_guard guard(lock);
        output.add(buffer.data(), got);
    }
}

}  // namespace

Result<PassedThrough> pass_through(const std::vector<std::string>& command) {
    std::wstring line;
    for (const std::string& word : command)
        line += (line.empty() ? L"" : L" ") + platform::quoted_word(platform::wide(word));
    std::array<PassedStream, 2> streams{{{STD_OUTPUT_HANDLE, {}, {}}, {STD_ERROR_HANDLE, {}, {}}}};
    STARTUPINFOW start{};
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    for (PassedStream& stream : streams)
        if (!open_stream_pipe(stream))
            return Trouble{command.front(), "cannot be started", platform::words_of(GetLastError())};
    start.hStdOutput = streams[0].to.get();
    start.hStdError = streams[1].to.get();
    SetConsoleCtrlHandler(stay_alive, TRUE);
    PROCESS_INFORMATION process{};
    const bool started = CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr,
                                        &start, &process) != 0;
    const DWORD error = GetLastError();
    for (PassedStream& stream : streams) stream.to = Handle();
    if (!started) return Trouble{command.front(), "cannot be started", platform::words_of(error)};
    const Handle child(process.hProcess), main_thread(process.hThread);
    PassedThrough result;
    std::mutex lock;
    Thread errors([&] { relay_stream(streams[1], lock, result.output); });
    relay_stream(streams[0], lock, result.output);
    errors.join();
    WaitForSingleObject(child.get(), INFINITE);
    DWORD code = 0;
    GetExitCodeProcess(child.get(), &code);
    result.exit_code = static_cast<int>(code);
    return result;
}

void end_by_signal(int) {}

}  // namespace ptxguard::own
