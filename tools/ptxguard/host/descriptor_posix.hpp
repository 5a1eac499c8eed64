// A file descriptor that closes itself. Private to this room's POSIX files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace ptxguard::platform {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : m_fd(fd) {}
    Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            m_fd = std::exchange(other.m_fd, -1);
        }
        return *this;
    }
    ~Descriptor() { close(); }

    int get() const { return m_fd; }
    explicit operator bool() const { return m_fd >= 0; }
    // False, with errno, if the written bytes did not reach the disk.
    bool close() {
        const int fd = std::exchange(m_fd, -1);
        return fd < 0 || ::close(fd) == 0;
    }

private:
    int m_fd = -1;
};

inline std::string words_of(int error) { return std::error_code(error, std::generic_category()).message(); }

}  // namespace ptxguard::platform
