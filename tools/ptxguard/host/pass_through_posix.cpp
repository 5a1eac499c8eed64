// The program keeps our input and process group, so that keys and signals of the terminal reach it directly.
// A stream that is a terminal becomes one for the program too (colours, progress); others become_program
// pipes.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "host/descriptor_posix.hpp"
#include "host/pass_through.hpp"

namespace ptxguard::own {
namespace {

using platform::Descriptor;

volatile sig_atomic_t running_child = 0, window_changed = 0;

void forward_signal(int signal) {
    if (running_child > 0) ::kill(static_cast<pid_t>(running_child), signal);
}
void note_window(int) { window_changed = 1; }

// While the program runs: what the terminal sends to the whole group is the program's, the rest is passed on.
class PassedSignals {
public:
    PassedSignals() {
        set(SIGINT, SIG_IGN);
        set(SIGQUIT, SIG_IGN);
        set(SIGPIPE, SIG_IGN);
        set(SIGTERM, forward_signal);
        set(SIGHUP, forward_signal);
        set(SIGUSR1, forward_signal);
        set(SIGUSR2, forward_signal);
        set(SIGWINCH, note_window);
    }
    ~PassedSignals() { restore(); }
    PassedSignals(const PassedSignals&) = delete;
    PassedSignals& operator=(const PassedSignals&) = delete;

    // In the child too, before the program starts.
    void restore() const {
        for (std::size_t i = 0; i < m_count; ++i)
            ::sigaction(m_before[i].number, &m_before[i].action, nullptr);
    }

private:
    struct Before {
        int number;
        struct sigaction action;
    };
    void set(int number, void (*handler)(int)) {
        struct sigaction action = {};
        action.sa_handler = handler;
        sigemptyset(&action.sa_mask);
        m_before[m_count].number = number;
        if (::sigaction(number, &action, &m_before[m_count].action) == 0) ++m_count;
    }
    std::array<Before, 8> m_before{};
    std::size_t m_count = 0;
};

struct PassedStream {
    int ours = 1;         // 1 or 2
    Descriptor from, to;  // the end that we read, and the program's
    bool is_terminal = false;
};

// A pseudo terminal that changes no byte.
bool open_stream_terminal(PassedStream& stream) {
    stream.from = Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!stream.from || ::grantpt(stream.from.get()) != 0 || ::unlockpt(stream.from.get()) != 0) return false;
    const char* const name = ::ptsname(stream.from.get());
    if (!name) return false;
    stream.to = Descriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!stream.to) return false;
    termios mode = {};
    if (::tcgetattr(stream.to.get(), &mode) == 0) {
        mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
        ::tcsetattr(stream.to.get(), TCSANOW, &mode);
    }
    stream.is_terminal = true;
    return true;
}

bool open_stream_pipe(PassedStream& stream) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    stream.from = Descriptor(ends[0]);
    stream.to = Descriptor(ends[1]);
#ifdef F_SETPIPE_SZ
    ::fcntl(stream.from.get(), F_SETPIPE_SZ, 1 << 20);
#endif
    return true;
}

void copy_window(const PassedStream& stream) {
    winsize size = {};
    if (stream.is_terminal && ::ioctl(stream.ours, TIOCGWINSZ, &size) == 0)
        ::ioctl(stream.from.get(), TIOCSWINSZ, &size);
}

// False if nobody reads our output any more.
bool write_portion(int fd, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t put = ::write(fd, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno == EAGAIN) {
            pollfd one{fd, POLLOUT, 0};
            ::poll(&one, 1, -1);
            continue;
        }
        if (put <= 0) return false;
        bytes += put;
        size -= static_cast<std::size_t>(put);
    }
    return true;
}

// Takes one portion; false at the end of the stream.
bool relay_portion(PassedStream& stream, std::string& buffer, KeptOutput& output) {
    const ssize_t got = ::read(stream.from.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) return false;  // EIO: no process has the terminal open
    output.add(buffer.data(), static_cast<std::size_t>(got));
    return write_portion(stream.ours, buffer.data(), static_cast<std::size_t>(got));
}

[[noreturn]] void become_program(const std::vector<std::string>& command,
                                 std::array<PassedStream, 2>& streams, const PassedSignals& signals,
                                 int report) {
    signals.restore();
    ::dup2(streams[0].to.get(), 1);
    ::dup2(streams[1].to.get(), 2);
    std::vector<char*> arguments;
    for (const std::string& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    (void)!::write(report, &error, sizeof error);
    ::_exit(127);
}

void copy_changed_window(const std::array<PassedStream, 2>& streams) {
    if (!window_changed) return;
    window_changed = 0;
    for (const PassedStream& stream : streams) copy_window(stream);
}

// Until both streams end; a grandchild that keeps them open after the program's end is not waited for.
int relay_all(pid_t child, std::array<PassedStream, 2>& streams, KeptOutput& output) {
    constexpr int k_wait = 50;  // ms
    std::string buffer(1 << 18, '\0');
    int status = 0;
    bool ended = false;
    for (;;) {
        if (!streams[0].from && !streams[1].from) break;
        pollfd fds[] = {{streams[0].from.get(), POLLIN, 0}, {streams[1].from.get(), POLLIN, 0}};
        const int ready = ::poll(fds, 2, k_wait);
        copy_changed_window(streams);
        for (std::size_t i = 0; i < 2; ++i)
            if (ready > 0 && fds[i].revents && !relay_portion(streams[i], buffer, output))
                streams[i].from = Descriptor();
        if (ready == 0 && ended) break;
        if (ready <= 0 && !ended) ended = ::waitpid(child, &status, WNOHANG) == child;
    }
    while (!ended) ended = ::waitpid(child, &status, 0) == child || errno != EINTR;
    return status;
}

}  // namespace

Result<PassedThrough> pass_through(const std::vector<std::string>& command) {
    const PassedSignals signals;
    std::array<PassedStream, 2> streams;
    for (std::size_t i = 0; i < 2; ++i) {
        streams[i].ours = static_cast<int>(i) + 1;
        if (!(::isatty(streams[i].ours) == 1 && open_stream_terminal(streams[i])) &&
            !open_stream_pipe(streams[i]))
            return Trouble{command.front(), "cannot be started", platform::words_of(errno)};
        copy_window(streams[i]);
    }
    int report[2];
    if (::pipe2(report, O_CLOEXEC) != 0)
        return Trouble{command.front(), "cannot be started", platform::words_of(errno)};
    const Descriptor report_from(report[0]);
    Descriptor report_to(report[1]);
    const pid_t child = ::fork();
    if (child < 0) return Trouble{command.front(), "cannot be started", platform::words_of(errno)};
    if (child == 0) become_program(command, streams, signals, report_to.get());
    running_child = child;
    report_to = Descriptor();
    for (PassedStream& stream : streams) stream.to = Descriptor();
    PassedThrough result;
    const int status = relay_all(child, streams, result.output);
    running_child = 0;
    int error = 0;
    if (::read(report_from.get(), &error, sizeof error) == static_cast<ssize_t>(sizeof error))
        return Trouble{command.front(), "cannot be started", platform::words_of(error)};
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    return result;
}

void end_by_signal(int signal) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

}  // namespace ptxguard::own
