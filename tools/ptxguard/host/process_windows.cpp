// Child processes on Windows: Boost.Process starts them suspended and they are put into a job object before
// their first instruction, so that ending the job ends the whole tree. Only this file includes Boost.Process
// on this system.
// SPDX-License-Identifier: Apache-2.0
#include <boost/winapi/config.hpp>

#include "host/boost_process.hpp"

#include <algorithm>
#include <mutex>

#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/troubles.hpp"
#include "host/wide_windows.hpp"
#include "model/ranges.hpp"

namespace ptxguard::platform {

namespace {

using Clock = std::chrono::steady_clock;

// How long a descendant may keep the pipes open after the program itself has ended.
constexpr std::chrono::milliseconds k_grace{250};

bool is_batch(const std::string& program) {
    const std::string name = lower(program);
    return ends_with(name, ".bat") || ends_with(name, ".cmd");
}

struct Streams {
    Handle out, err;                        // our ends
    Handle child_in, child_out, child_err;  // input is a file, so a child need not read it
};

bool open_pipe(Handle& ours, Handle& theirs) {
    HANDLE read = nullptr, write = nullptr;
    if (!CreatePipe(&read, &write, nullptr, 1 << 16)) return false;
    ours = Handle(read);
    theirs = Handle(write);
    return true;
}

Handle input_file(const std::string& text) {
    constexpr DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    if (text.empty())
        return Handle(CreateFileW(L"NUL", GENERIC_READ, share, nullptr, OPEN_EXISTING, 0, nullptr));
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    if (!GetTempPathW(MAX_PATH + 1, folder) || !GetTempFileNameW(folder, L"ptx", 0, name)) return Handle();
    Handle file(CreateFileW(name, GENERIC_READ | GENERIC_WRITE | DELETE, share, nullptr, CREATE_ALWAYS,
                            FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
    DWORD put = 0;
    if (!file || !WriteFile(file.get(), text.data(), static_cast<DWORD>(text.size()), &put, nullptr))
        return Handle();
    SetFilePointer(file.get(), 0, nullptr, FILE_BEGIN);
    return file;
}

bool open_streams(Streams& streams, const std::string& input) {
    streams.child_in = input_file(input);
    return streams.child_in && open_pipe(streams.out, streams.child_out) &&
           open_pipe(streams.err, streams.child_err);
}

// The job ends everything in it when its last handle is closed, also if we are killed.
Handle new_job() {
    Handle job(CreateJobObjectW(nullptr, nullptr));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (job) SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

std::wstring environment_block(const Environment& environment) {
    std::wstring block;
    for (const auto& [name, value] : environment) block += wide(name + "=" + value) + L'\0';
    return block + L'\0';
}

struct Setup : bp::extend::handler {
    const Streams* streams;
    HANDLE job;
    const wchar_t *program, *directory, *environment;
    DWORD* not_in_job;  // why it could not be put into the job

    template <class Executor>
    void on_setup(Executor& executor) const {
        executor.exe = program;
        executor.work_dir = *directory ? directory : nullptr;
        executor.env = environment;
        executor.inherit_handles = TRUE;
        executor.creation_flags |= CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW | CREATE_SUSPENDED;
        executor.startup_info.dwFlags |= STARTF_USESTDHANDLES;
        executor.startup_info.hStdInput = streams->child_in.get();
        executor.startup_info.hStdOutput = streams->child_out.get();
        executor.startup_info.hStdError = streams->child_err.get();
    }
    template <class Executor>
    void on_success(Executor& executor) const {
        // Outside the job nothing would end its child processes.
        *not_in_job = AssignProcessToJobObject(job, executor.proc_info.hProcess) ? 0 : GetLastError();
        if (*not_in_job == 0)
            ResumeThread(executor.proc_info.hThread);
        else
            TerminateProcess(executor.proc_info.hProcess, 1);
    }
};

// CreateProcess refuses a working folder of more than 258 characters, and takes no "\\?\": a longer one needs
// its short name.
std::wstring working_folder(const std::string& directory) {
    constexpr std::size_t longest = 258;
    const auto plain = [](const std::wstring& path) {
        if (path.compare(0, 8, L"\\\\?\\UNC\\") == 0) return L"\\\\" + path.substr(8);
        return path.compare(0, 4, L"\\\\?\\") == 0 ? path.substr(4) : path;
    };
    const std::wstring folder = wide_path(directory);
    if (plain(folder).size() <= longest) return plain(folder);
    std::wstring name(GetShortPathNameW(folder.c_str(), nullptr, 0), 0);
    name.resize(GetShortPathNameW(folder.c_str(), name.data(), static_cast<DWORD>(name.size())));
    name = plain(name);
    return name.size() <= longest ? name : std::wstring();
}

// The process, or nothing with the reason.
Handle start(const Command& command, const Environment& environment, const Streams& streams, HANDLE job,
             std::error_code& error) {
    // Inheritable handles go to every process that is started in the meantime: start one at a time.
    static std::mutex one_at_a_time;
    // Children inherit this: a crash or a missing library ends them instead of opening a window.
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    std::wstring line;
    const bool for_cmd = is_batch(command.argv[0]);
    for (const std::string& argument : command.argv)
        line += (line.empty() ? L"" : L" ") + platform::quoted_word(wide(argument), for_cmd);
    const std::wstring program = wide_path(command.argv[0]), directory = working_folder(command.directory);
    const std::wstring block = environment_block(environment);
    DWORD not_in_job = 0;
    Setup setup;
    setup.not_in_job = &not_in_job;
    setup.streams = &streams;
    setup.job = job;
    setup.program = program.c_str();
    setup.directory = directory.c_str();
    setup.environment = block.c_str();

    const std::lock_guard<std::mutex> lock(one_at_a_time);
    const HANDLE handed[] = {streams.child_in.get(), streams.child_out.get(), streams.child_err.get()};
    for (const HANDLE handle : handed) SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    bp::child child(bp::cmd = line, setup, error);
    for (const HANDLE handle : handed) SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
    if (error) return Handle();
    HANDLE process = nullptr;
    DuplicateHandle(GetCurrentProcess(), child.native_handle(), GetCurrentProcess(), &process, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
    child.detach();
    if (not_in_job != 0) {
        error = std::error_code(static_cast<int>(not_in_job), std::system_category());
        return Handle();
    }
    return Handle(process);
}

struct Reader {
    HANDLE pipe;
    std::string* text;
    bool open = true;
};

// Reads what is in the pipe without waiting; keeps at most `cap` bytes. True if there was something.
bool drain(Reader& reader, std::size_t cap, bool& truncated) {
    DWORD there = 0, got = 0;
    if (!reader.open) return false;
    char buffer[1 << 16];
    reader.open = PeekNamedPipe(reader.pipe, nullptr, 0, nullptr, &there, nullptr);
    if (!reader.open || there == 0) return false;
    reader.open = ReadFile(reader.pipe, buffer, std::min<DWORD>(there, sizeof buffer), &got, nullptr);
    const std::size_t kept = std::min<std::size_t>(got, cap - reader.text->size());
    reader.text->append(buffer, kept);
    truncated = truncated || kept < got;
    return got > 0;
}

// Reads both streams until the program has ended and they are closed, or the limit is reached; true = within
// it.
bool collect(HANDLE process, const Streams& streams, const Command& command, ProcessResult& result) {
    Reader readers[] = {{streams.out.get(), &result.out}, {streams.err.get(), &result.err}};
    const Clock::time_point limit = Clock::now() + command.time_limit;
    Clock::time_point until = limit;
    DWORD pause = 1;
    for (bool ended = false;;) {
        const bool some_out = drain(readers[0], command.output_cap, result.truncated);
        const bool some_err = drain(readers[1], command.output_cap, result.truncated);
        if (ended && !readers[0].open && !readers[1].open) return true;
        const Clock::time_point now = Clock::now();
        if (now >= until) return ended;
        // Anonymous pipes cannot be waited on; poll with back-off.
        pause = some_out || some_err ? 0 : std::min<DWORD>(pause + 1, 10);
        if (WaitForSingleObject(process, ended ? 0 : pause) == WAIT_OBJECT_0) {
            if (!ended)
                until = std::min(limit, Clock::now() + k_grace);
            else
                Sleep(pause);
            ended = true;
        }
    }
}

}  // namespace

ProcessResult run(const Command& command, const Environment& environment) {
    ProcessResult result;
    if (command.argv.empty()) return result.trouble = k_empty_command, result;
    if (!command.directory.empty() && status(command.directory).type != FileType::directory) {
        return result.trouble = command.directory + " is not a directory that can be entered", result;
    }
    if (!command.directory.empty() && working_folder(command.directory).empty())
        return result.trouble = command.directory + " is too long for a working folder", result;
    // Arguments that cmd.exe would misread even inside quotes are not passed on.
    const auto misread = [](const std::string& text) {
        return text.find_first_of("\"%\r\n") != std::string::npos;
    };
    if (is_batch(command.argv[0]) && any_of(command.argv, misread)) {
        return result.trouble = "a batch file cannot be given an argument with '\"' or '%'", result;
    }
    const Clock::time_point begin = Clock::now();
    Streams streams;
    const Handle job = new_job();
    if (!job || !open_streams(streams, command.input))
        return result.trouble = words_of(GetLastError()), result;
    std::error_code error;
    const Handle process = start(command, environment, streams, job.get(), error);
    if (!process) return result.trouble = words_of(static_cast<DWORD>(error.value())), result;
    streams.child_in.close();
    streams.child_out.close();
    streams.child_err.close();
    const bool in_time = collect(process.get(), streams, command, result);
    DWORD code = 0;
    GetExitCodeProcess(process.get(), &code);
    TerminateJobObject(job.get(), 1);
    // An exception ends a program with its code: 0xC0000005 and the like.
    const bool crashed = (code & 0xF0000000u) == 0xC0000000u || (code & 0xF0000000u) == 0x80000000u;
    result.state = !in_time  ? ProcessResult::State::timed_out
                   : crashed ? ProcessResult::State::crashed
                             : ProcessResult::State::exited;
    result.exit_code = in_time ? static_cast<int>(code) : 0;
    result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    return result;
}

}  // namespace ptxguard::platform
