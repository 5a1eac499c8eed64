// After fork in a program with threads only system calls are safe: no memory is allocated here.
// SPDX-License-Identifier: Apache-2.0
#include "host/keeper_posix.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxguard::platform {

namespace {

constexpr int k_end_tries = 1000;        // of 10 ms: a program of another user cannot be ended
constexpr unsigned k_last = ~0u;         // descriptor
constexpr rlim_t k_most_closed = 65536;  // descriptors, one by one before Linux 5.9

void close_between(unsigned first, unsigned last) {
    if (first > last) return;
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const auto end = static_cast<unsigned>(std::min(limit.rlim_cur, k_most_closed));
    for (unsigned fd = first; fd <= last && fd < end; ++fd) ::close(static_cast<int>(fd));
}

// Orphans among the descendants of our children have become our children: once all of these are dead, there
// is none. False: this kernel does not list them.
bool kill_children() {
    const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0) return false;
    char text[1024];
    pid_t child = 0;
    for (ssize_t got; (got = ::read(list, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < got; ++i) {
            const bool digit = text[i] >= '0' && text[i] <= '9';
            if (!digit && child > 0) ::kill(child, SIGKILL);
            child = digit ? child * 10 + (text[i] - '0') : 0;
        }
    }
    ::close(list);
    return true;
}

[[noreturn]] void end_all() {
    sigset_t child_ended;
    ::sigemptyset(&child_ended);
    ::sigaddset(&child_ended, SIGCHLD);
    const timespec pause{0, 10000000};
    bool left = true;
    for (int tries = 0; left && tries < k_end_tries && kill_children(); ++tries) {
        pid_t reaped = 0;
        while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        left = reaped == 0;
        if (left) ::sigtimedwait(&child_ended, nullptr, &pause);
    }
    ::kill(0, SIGKILL);  // our group, with ourselves
    ::_exit(0);
}

[[noreturn]] void keep(pid_t us, pid_t program, int report) {
    close_between(0, static_cast<unsigned>(report) - 1);
    close_between(static_cast<unsigned>(report) + 1, k_last);
    ::prctl(PR_SET_NAME, "ptx-keeper");  // `pkill -9 ptxguard` leaves it to end the programs
    sigset_t awaited;
    ::sigemptyset(&awaited);
    ::sigaddset(&awaited, SIGCHLD);
    ::sigaddset(&awaited, SIGTERM);
    bool told = false;
    for (siginfo_t signal{}; ::getppid() == us;) {
        // Programs may send SIGTERM to their group, which is also ours.
        if (signal.si_signo == SIGTERM && signal.si_pid == us) break;
        siginfo_t info{};
        if (!told && ::waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == program) {
            const Ended ended{info.si_code, info.si_status};
            told = ::write(report, &ended, sizeof ended) == sizeof ended;
        }
        if (::sigwaitinfo(&awaited, &signal) < 0) signal.si_signo = 0;
    }
    end_all();
}

}  // namespace

int start_keeper(pid_t us, int report) {
    sigset_t all, before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &before);  // a keeper takes them from the queue
    ::signal(SIGCHLD, SIG_DFL);               // ignored, it would not say how the program ended
    ::setpgid(0, 0);                          // Ctrl+C is for us; the group for what a killed keeper leaves
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const pid_t keeper = ::getpid();
    const pid_t program = ::fork();
    if (program < 0) return errno;
    if (program > 0) keep(us, program, report);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // if somebody kills the keeper
    if (::getppid() != keeper) ::_exit(127);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return 0;
}

void ask_to_end(pid_t keeper) {
    ::kill(keeper, SIGTERM);
    ::kill(keeper, SIGCONT);  // a program may have stopped it
}

void end_group(pid_t keeper) { ::kill(-keeper, SIGKILL); }

}  // namespace ptxguard::platform
