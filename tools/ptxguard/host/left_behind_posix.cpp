// A signal handler can do very little, so it only wakes a thread that does the work.
// SPDX-License-Identifier: Apache-2.0
#include "host/left_behind_posix.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/keeper_posix.hpp"

namespace ptxguard::platform {

namespace {

constexpr int k_signals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::size_t k_stack = 256u << 10;  // the usual 8 MiB count against a memory limit

pid_t g_owner = -1;
int g_wake[2] = {-1, -1};

void on_signal(int number) {
    // Between fork and exec the child inherits the handler, and the signal is for the child.
    if (::getpid() != g_owner) {
        ::signal(number, SIG_DFL);
        ::raise(number);
        return;
    }
    const int kept = errno;
    const char byte = static_cast<char>(number);
    if (::write(g_wake[1], &byte, 1) < 0) errno = kept;
    errno = kept;
}

// A program that was just killed may still create a file.
void remove_folder(const std::string& path) {
    std::error_code ignored;
    for (int tries = 0; tries < 100; ++tries) {
        std::filesystem::remove_all(path, ignored);
        if (::access(path.c_str(), F_OK) != 0) return;
        ::usleep(10000);
    }
}

// A keeper goes on without us, but then a folder that its programs use could not be removed.
void end_programs(const std::vector<pid_t>& keepers) {
    for (const pid_t keeper : keepers) ask_to_end(keeper);
    int tries = 200;
    for (const pid_t keeper : keepers)
        for (siginfo_t info{};
             tries > 0 &&
             ::waitid(P_PID, static_cast<id_t>(keeper), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             info.si_pid == 0;
             --tries)
            ::usleep(10000);
    for (const pid_t keeper : keepers) end_group(keeper);
}

void* wait_for_signal(void* what) {
    char byte = 0;
    ssize_t got = 0;
    while ((got = ::read(g_wake[0], &byte, 1)) < 0 && errno == EINTR) {
    }
    if (got != 1) return nullptr;
    LeftBehind& all = *static_cast<LeftBehind*>(what);
    all.mutex
        .lock();  // permanently: nothing is started any more, and nobody reports that a program was killed
    end_programs(all.keepers);
    for (const std::string& folder : all.folders) remove_folder(folder);
    ::signal(byte, SIG_DFL);
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, byte);
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    ::raise(byte);
    ::_exit(128 + byte);  // signals do not end the first process of a container
}

void watch(LeftBehind& all) {
    if (::pipe2(g_wake, O_CLOEXEC) != 0) return;
    g_owner = ::getpid();
    pthread_attr_t attributes;
    pthread_t thread;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, k_stack);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const bool waiting = ::pthread_create(&thread, &attributes, wait_for_signal, &all) == 0;
    ::pthread_attr_destroy(&attributes);
    if (!waiting) return;
    for (const int number : k_signals) {
        struct sigaction before {};
        if (::sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
        struct sigaction ours {};
        ours.sa_handler = on_signal;
        ours.sa_flags = SA_RESTART;
        ::sigaction(number, &ours, nullptr);
    }
}

}  // namespace

LeftBehind& left_behind() {
    // Never destroyed: the thread may use it after main has returned.
    static LeftBehind* const all = [] {
        auto* made = new LeftBehind;
        watch(*made);
        return made;
    }();
    return *all;
}

}  // namespace ptxguard::platform
