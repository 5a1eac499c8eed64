// Consecutive zstd frames of unknown size, unpacked as they are read.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>

#include "formats/tar.hpp"

#include <zstd.h>

namespace ptxguard {

bool is_zstd(std::string_view head) { return head.substr(0, 4) == "\x28\xb5\x2f\xfd"; }

struct Unzstd::State {
    static constexpr std::size_t k_step = 1u << 20;

    Source packed;
    std::uint64_t& left;
    std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context{ZSTD_createDCtx(), ZSTD_freeDCtx};
    std::string input = {}, trouble = {};
    ZSTD_inBuffer in = {nullptr, 0, 0};
    std::uint64_t read = 0;   // of the packed bytes
    std::uint64_t at = 0;     // of the unpacked bytes
    std::size_t open = 1;     // 0 after the end of a frame
    bool inside = false;      // the context has bytes for which there was no room
    std::string unused = {};  // what is skipped is unpacked here

    bool stop(const char* why) {
        trouble = why;
        return false;
    }

    // False at the end.
    bool refill() {
        if (read == packed.size) return open != 0 ? stop("is cut off") : false;
        input = read_bytes(packed, read, k_step);
        if (input.empty()) return stop("cannot be read to its end");
        read += input.size();
        in = {input.data(), input.size(), 0};
        return true;
    }

    // At most `most` of the next bytes; 0 at the end.
    std::size_t take(char* to, std::size_t most) {
        if (most == 0) return 0;
        char beyond = 0;  // if no more bytes may be unpacked, there must be none
        ZSTD_outBuffer out{left > 0 ? to : &beyond,
                           static_cast<std::size_t>(std::clamp<std::uint64_t>(left, 1, most)), 0};
        while (trouble.empty() && out.pos == 0 && (inside || in.pos < in.size || refill())) {
            open = ZSTD_decompressStream(context.get(), &out, &in);
            if (ZSTD_isError(open)) stop("is damaged");
            inside = out.pos == out.size && open != 0;
        }
        if (out.pos > left) stop("is larger than is unpacked");
        if (!trouble.empty()) return 0;
        left -= out.pos;
        at += out.pos;
        return out.pos;
    }

    std::size_t take_all(char* to, std::size_t most) {
        std::size_t done = 0;
        for (std::size_t got = 1; got > 0 && done < most; done += got) got = take(to + done, most - done);
        return done;
    }

    std::size_t read_at(std::uint64_t offset, char* to, std::size_t length) {
        if (offset < at) return 0;
        if (offset > at) unused.resize(k_step);
        while (at < offset)
            if (take(&unused[0], static_cast<std::size_t>(std::min<std::uint64_t>(k_step, offset - at))) == 0)
                return 0;
        return take_all(to, length);
    }
};

Unzstd::Unzstd(Source packed, std::uint64_t& left)
    : m_state(std::make_shared<State>(State{std::move(packed), left})) {
    if (!m_state->context) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(m_state->context.get(), ZSTD_d_windowLogMax, 27);  // k_memory
    m_source.read = [state = m_state](std::uint64_t offset, char* to, std::size_t length) {
        return state->read_at(offset, to, length);
    };
    m_source.size = std::numeric_limits<std::uint64_t>::max();
}

std::string Unzstd::trouble() const { return m_state->trouble; }

std::uint64_t Unzstd::unpacked() const { return m_state->at; }

}  // namespace ptxguard
