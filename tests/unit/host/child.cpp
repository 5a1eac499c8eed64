// The program that the process tests start: its first argument makes it hang, flood, crash or echo.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#else
#include <unistd.h>
#endif

#include "host/host.hpp"
#include "host/main_arguments.hpp"
#include "host/output.hpp"

namespace {

[[noreturn]] void hang() {
#ifndef _WIN32
    std::signal(SIGTERM, SIG_IGN);
#endif
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// Leaves a child behind that keeps our stdout open.
void leave_child_behind() {
#ifdef _WIN32
    const std::wstring self = _wpgmptr;
    _wspawnl(_P_NOWAIT, self.c_str(), L"child", L"hang", nullptr);
#else
    if (fork() == 0) hang();
#endif
}

// A folder, printed on stdout, and a program that hangs and has left another one behind.
void work() {
    const std::string folder = *ptxguard::own::temporary_folder();
    std::printf("%s\n", folder.c_str());
    std::fflush(stdout);
    ptxguard::Command command;
    command.argv = {ptxguard::own::executable_path(), "leave-and-hang", folder};
    ptxguard::real_host()->run(command);
}

void flood(std::size_t bytes) {
    const std::string block(1 << 16, 'x');
    for (std::size_t at = 0; at < bytes; at += block.size()) {
        std::fwrite(block.data(), 1, block.size(), stdout);
        std::fwrite(block.data(), 1, block.size(), stderr);
    }
}

void crash() {
#ifndef _WIN32
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
#endif
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef _WIN32
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
#endif
    const ptxguard::ProcessSetup setup;
    const std::vector<std::string> arguments = ptxguard::utf8_arguments(argc, argv);
    const std::string mode = arguments.empty() ? "" : arguments[0];
    if (mode == "hang") hang();
    if (mode == "leave") leave_child_behind(), std::puts("left");
    if (mode == "leave-and-hang") leave_child_behind(), hang();
    if (mode == "work") work();
    if (mode == "flood") flood(std::stoul(arguments.at(1)));
    if (mode == "crash") crash();
    if (mode == "exit") return std::stoi(arguments.at(1));
    if (mode == "echo") {
        for (const std::string& argument : arguments) std::printf("[%s]", argument.c_str());
        std::fputs("to stderr", stderr);
    }
    if (mode == "env") {
        const auto value = ptxguard::real_host()->env(arguments.at(1));
        std::printf("%s", value ? value->c_str() : "(unset)");
    }
    if (mode == "folder")
        if (const auto folder = ptxguard::real_host()->real_path(".")) std::printf("%s", folder->c_str());
    if (mode == "cat") std::printf("%s", ptxguard::own::read_standard_input(1 << 26)->c_str());
    return 0;
}
