// SPDX-License-Identifier: Apache-2.0
#include "ask/seal.hpp"

#include "model/source.hpp"

namespace ptxguard {
namespace {

struct SipState {
    std::uint64_t a, b, c, d;

    static std::uint64_t turned(std::uint64_t value, int bits) {
        return value << bits | value >> (64 - bits);
    }

    void round() {
        a += b, b = turned(b, 13) ^ a, a = turned(a, 32);
        c += d, d = turned(d, 16) ^ c;
        a += d, d = turned(d, 21) ^ a;
        c += b, b = turned(b, 17) ^ c, c = turned(c, 32);
    }

    void take(std::uint64_t word) {
        d ^= word;
        round(), round();
        a ^= word;
    }
};

std::string hex(std::uint64_t value) {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
    return text;
}

}  // namespace

std::uint64_t siphash(std::string_view key, std::string_view bytes) {
    const std::uint64_t first = load_u64(&key[0]), second = load_u64(&key[8]);
    SipState state{first ^ 0x736f6d6570736575u, second ^ 0x646f72616e646f6du, first ^ 0x6c7967656e657261u,
                   second ^ 0x7465646279746573u};
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) state.take(load_u64(&bytes[at]));
    std::uint64_t last = static_cast<std::uint64_t>(bytes.size()) << 56;
    for (int shift = 0; at < bytes.size(); ++at, shift += 8)
        last |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at])) << shift;
    state.take(last);
    state.c ^= 0xff;
    for (int i = 0; i < 4; ++i) state.round();
    return state.a ^ state.b ^ state.c ^ state.d;
}

std::string seal(std::string_view key, std::string_view bytes) {
    return hex(siphash(key.substr(0, 16), bytes)) + hex(siphash(key.substr(16, 16), bytes));
}

}  // namespace ptxguard
