// Child processes on POSIX: Boost.Process starts each with a keeper. Both streams are read with poll() here,
// because Boost's own waiting with a time limit forks a helper and is not thread-safe. Only this file
// includes Boost.Process on this system.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/boost_process.hpp"
#include "host/descriptor_posix.hpp"
#include "host/keeper_posix.hpp"
#include "host/left_behind_posix.hpp"
#include "host/platform.hpp"
#include "host/troubles.hpp"

namespace ptxguard::platform {

namespace {

using Clock = std::chrono::steady_clock;

// How long a descendant may keep the pipes open after the program itself has ended.
constexpr std::chrono::milliseconds k_grace{250};
constexpr int k_end_limit = 2000;  // ms for a keeper to end everything

struct Streams {
    Descriptor out, err, report;                              // our ends
    Descriptor child_in, child_out, child_err, child_report;  // input comes from a file
};

// The child's ends are moved to 0, 1 and 2, so they must not be there already.
Descriptor above_standard(int fd) {
    if (fd < 0 || fd > 2) return Descriptor(fd);
    const Descriptor low(fd);
    return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

bool open_pipe(Descriptor& ours, Descriptor& theirs) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    ours = above_standard(ends[0]);
    theirs = above_standard(ends[1]);
    return ours && theirs && ::fcntl(ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

// Input is a file in memory: a child that never reads it can neither block us nor kill us with SIGPIPE.
Descriptor input_file(const std::string& text) {
    if (text.empty()) return above_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Descriptor file =
        above_standard(static_cast<int>(::syscall(SYS_memfd_create, "ptxguard-input", MFD_CLOEXEC)));
    for (std::size_t at = 0; file && at < text.size();) {
        const ssize_t put = ::write(file.get(), text.data() + at, text.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return Descriptor();
        at += static_cast<std::size_t>(put);
    }
    if (file) ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

bool open_streams(Streams& streams, const std::string& input) {
    streams.child_in = input_file(input);
    return streams.child_in && open_pipe(streams.out, streams.child_out) &&
           open_pipe(streams.err, streams.child_err) && open_pipe(streams.report, streams.child_report);
}

// Runs in the child between fork and exec: system calls only.
struct Setup : bp::extend::handler {
    int in, out, err, report;
    pid_t us;
    const char* directory;
    char **arguments, **environment;

    template <class Executor>
    void on_setup(Executor& executor) const {
        executor.cmd_line = arguments;
        executor.env = environment;
    }
    template <class Executor>
    void on_exec_setup(Executor& executor) const {
        if (const int error = start_keeper(us, report)) {
            executor.set_error(std::error_code(error, std::system_category()), "fork");
            ::_exit(127);
        }
        ::dup2(in, 0);
        ::dup2(out, 1);
        ::dup2(err, 2);
        ::signal(SIGXFSZ, SIG_DFL);  // we ignore it, and the child would inherit that
        if (*directory && ::chdir(directory) != 0) ::_exit(127);
    }
    template <class Executor>
    void on_error(Executor& executor, const std::error_code&) const {
        if (executor.pid <= 0) return;
        ask_to_end(executor.pid);
        ::waitpid(executor.pid, nullptr, 0);
    }
};

// A started program, by its keeper: the destructor ends it with all its descendants.
class Running {
public:
    Running(pid_t keeper, int report) : m_keeper(keeper), m_report(report) {}
    ~Running() {
        {
            LeftBehind& all = left_behind();
            const std::lock_guard<std::mutex> lock(all.mutex);
            ask_to_end(m_keeper);
            all.keepers.erase(std::remove(all.keepers.begin(), all.keepers.end(), m_keeper),
                              all.keepers.end());
        }
        pollfd gone{m_report, 0, 0};  // hangs up when the keeper ends
        while (::poll(&gone, 1, k_end_limit) < 0 && errno == EINTR) {
        }
        end_group(m_keeper);
        while (::waitpid(m_keeper, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    pid_t m_keeper;
    int m_report;
};

// As execve takes them, as long as `texts` live.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// The keeper's process id, or -1 with the reason. Boost's error pipe is briefly inherited by processes that
// other threads start, and we would wait for those too: start one at a time.
pid_t start(const Command& command, const Environment& environment, const Streams& streams,
            std::error_code& error) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : environment) texts.push_back(name + "=" + value);
    std::vector<char*> variables = pointers_to(texts);
    std::vector<std::string> words = command.argv;
    std::vector<char*> arguments = pointers_to(words);
    Setup setup;
    setup.in = streams.child_in.get();
    setup.out = streams.child_out.get();
    setup.err = streams.child_err.get();
    setup.report = streams.child_report.get();
    setup.us = ::getpid();
    setup.directory = command.directory.c_str();
    setup.arguments = arguments.data();
    setup.environment = variables.data();

    LeftBehind& all = left_behind();
    const std::lock_guard<std::mutex> one_at_a_time(all.mutex);
    all.keepers.reserve(all.keepers.size() + 1);  // nothing may fail once it runs
    bp::child child(bp::exe = command.argv[0], setup, error);
    if (error) return -1;
    const pid_t keeper = child.id();
    child.detach();
    all.keepers.push_back(keeper);
    return keeper;
}

std::string why_not_started(const std::string& program, const std::error_code& error) {
    if (error.value() == ENOENT && status(program).type == FileType::regular) {
        const Result<std::string> head = read_range(program, 0, 256);
        if (head && starts_with(*head, "#!")) {
            const std::vector<std::string> words = split(split(*head, "\r\n").at(0).substr(2), " \t");
            if (!words.empty()) return "its interpreter " + words[0] + " is missing";
        }
        return "its loader is missing";
    }
    return words_of(error.value());
}

struct Reader {
    int fd;
    std::string* text;
    bool open = true;
};

// Reads what is in the pipe; keeps at most `cap` bytes and drops the rest.
void drain(Reader& reader, std::size_t cap, bool& truncated) {
    char buffer[1 << 16];
    while (reader.open) {
        const ssize_t got = ::read(reader.fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            reader.open = false;
            return;
        }
        const std::size_t kept = std::min(static_cast<std::size_t>(got), cap - reader.text->size());
        reader.text->append(buffer, kept);
        truncated = truncated || kept < static_cast<std::size_t>(got);
        // A flood of output must not keep us from checking the clock.
        if (got < static_cast<ssize_t>(sizeof buffer) || truncated) return;
    }
}

// Nothing as long as the program runs. A keeper that is killed takes the program with it.
std::optional<Ended> end_of_program(int report) {
    Ended ended{CLD_KILLED, SIGKILL};
    const ssize_t got = ::read(report, &ended, sizeof ended);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
    return ended;
}

// Reads both streams until the program has ended and they are closed, or the limit is reached; nothing if it
// still runs then.
std::optional<Ended> collect(const Streams& streams, const Command& command, ProcessResult& result) {
    Reader readers[] = {{streams.out.get(), &result.out}, {streams.err.get(), &result.err}};
    const Clock::time_point limit = Clock::now() + command.time_limit;
    Clock::time_point until = limit;
    for (std::optional<Ended> ended;;) {
        if (!ended && (ended = end_of_program(streams.report.get())))
            until = std::min(limit, Clock::now() + k_grace);
        for (Reader& reader : readers) drain(reader, command.output_cap, result.truncated);
        if (ended && !readers[0].open && !readers[1].open) return ended;
        const Clock::time_point now = Clock::now();
        if (now >= until) return ended;
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(until - now);
        pollfd waits[] = {{readers[0].open ? readers[0].fd : -1, POLLIN, 0},
                          {readers[1].open ? readers[1].fd : -1, POLLIN, 0},
                          {ended ? -1 : streams.report.get(), POLLIN, 0}};
        ::poll(waits, 3, static_cast<int>(std::min<long long>(wait.count(), 60000)));
    }
}

void say_how_it_ended(const std::optional<Ended>& ended, ProcessResult& result) {
    if (!ended) {
        result.state = ProcessResult::State::timed_out;
        return;
    }
    result.state = ended->code == CLD_EXITED ? ProcessResult::State::exited : ProcessResult::State::crashed;
    result.exit_code = ended->status;
}

}  // namespace

ProcessResult run(const Command& command, const Environment& environment) {
    ProcessResult result;
    if (command.argv.empty()) return result.trouble = k_empty_command, result;
    if (!command.directory.empty() && status(command.directory).type != FileType::directory) {
        return result.trouble = command.directory + " is not a directory that can be entered", result;
    }
    const Clock::time_point begin = Clock::now();
    Streams streams;
    if (!open_streams(streams, command.input)) return result.trouble = words_of(errno), result;
    std::error_code error;
    const pid_t keeper = start(command, environment, streams, error);
    if (keeper < 0) return result.trouble = why_not_started(command.argv[0], error), result;
    {
        const Running running(keeper, streams.report.get());
        streams.child_in.close();
        streams.child_out.close();
        streams.child_err.close();
        streams.child_report.close();
        say_how_it_ended(collect(streams, command, result), result);
    }
    result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    return result;
}

}  // namespace ptxguard::platform
