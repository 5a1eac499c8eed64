// The bytes of an entry, decompressed with the LZ4 and zstd libraries; for a prefix no more is read and
// decoded than needed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <memory>

#include "formats/device_code.hpp"

#include <lz4.h>
#include <zstd.h>

namespace ptxguard {
namespace {

constexpr std::uint64_t k_lz4 = 0x2000, k_zstd = 0x8000, k_compressed = 0xf000;
// The largest cubin seen has 134,372,904 bytes.
constexpr std::uint64_t k_max_payload = 1u << 30;
// LZ4 cannot expand a byte to more than the first; for zstd the second is far above any real code.
constexpr std::uint64_t k_lz4_ratio = 255, k_zstd_ratio = 4096;

Trouble payload_trouble(const DeviceEntry& entry, const std::string& what, const std::string& cause = {}) {
    return Trouble{"the entry at byte " + std::to_string(entry.offset), what, cause};
}

Trouble damaged(const DeviceEntry& entry, const std::string& cause) {
    return payload_trouble(entry, "cannot be decompressed", cause);
}

// The first `length` stored bytes.
Result<std::string> stored(const Source& file, const DeviceEntry& entry, std::uint64_t length) {
    std::string bytes = read_bytes(file, entry.offset, static_cast<std::size_t>(length));
    if (bytes.size() < length) return payload_trouble(entry, "is cut off", "the file ended early");
    return bytes;
}

std::optional<Trouble> implausible(const DeviceEntry& entry, std::uint64_t ratio) {
    const std::string says = "its header says " + std::to_string(entry.uncompressed) + " bytes";
    if (entry.uncompressed == 0) return damaged(entry, "its header says no size");
    if (entry.uncompressed > k_max_payload) return damaged(entry, says + ", more than 1 GiB");
    if (entry.uncompressed / ratio > entry.size)
        return damaged(entry, says + " in " + std::to_string(entry.size) + ", which cannot be");
    return std::nullopt;
}

// Nothing if the bytes are not an LZ4 block of at least `wanted` bytes.
std::optional<std::string> decode_lz4(const std::string& input, std::uint64_t wanted, bool whole) {
    const int size = static_cast<int>(wanted), given = static_cast<int>(input.size());
    std::string output(static_cast<std::size_t>(wanted), '\0');
    const int got = whole ? LZ4_decompress_safe(input.data(), &output[0], given, size)
                          : LZ4_decompress_safe_partial(input.data(), &output[0], given, size, size);
    return got == size ? std::optional<std::string>(std::move(output)) : std::nullopt;
}

Result<std::string> lz4(const Source& file, const DeviceEntry& entry, std::uint64_t wanted) {
    if (const auto trouble = implausible(entry, k_lz4_ratio)) return *trouble;
    if (entry.size > static_cast<std::uint64_t>(INT_MAX)) return damaged(entry, "it is larger than 2 GiB");
    const bool whole = wanted == entry.uncompressed;
    // A sequence decodes to at least one byte more than its size, except one in 255 for its length. Older
    // releases of the library decode nothing of a truncated block, so the second attempt gets the whole
    // block.
    const std::uint64_t enough = whole ? entry.size : std::min(entry.size, wanted + wanted / 255 + 64);
    for (const std::uint64_t length : {enough, entry.size}) {
        const Result<std::string> input = stored(file, entry, length);
        if (!input) return input;
        if (auto output = decode_lz4(*input, wanted, whole)) return std::move(*output);
        if (length == entry.size) break;
    }
    return damaged(entry, "its bytes are no LZ4 block of " + std::to_string(entry.uncompressed) + " bytes");
}

using ZstdContext = std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)>;

// Reused for all entries: creating it costs more than decoding the beginning of a cubin.
ZSTD_DCtx* zstd_context() {
    static thread_local const ZstdContext context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!context) return nullptr;
    ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 27);  // 128 MiB
    return context.get();
}

Result<std::string> zstd_whole(const Source& file, const DeviceEntry& entry, ZSTD_DCtx* context) {
    const Result<std::string> input = stored(file, entry, entry.size);
    if (!input) return input;
    // Without an exact compressed size, the zero padding is part of the input.
    const std::size_t frame = ZSTD_findFrameCompressedSize(input->data(), input->size());
    if (ZSTD_isError(frame)) return damaged(entry, ZSTD_getErrorName(frame));
    std::string output(static_cast<std::size_t>(entry.uncompressed), '\0');
    const std::size_t got = ZSTD_decompressDCtx(context, &output[0], output.size(), input->data(), frame);
    if (ZSTD_isError(got)) return damaged(entry, ZSTD_getErrorName(got));
    if (got != output.size())
        return damaged(entry,
                       std::to_string(got) + " bytes came out instead of " + std::to_string(output.size()));
    return output;
}

Result<std::string> zstd_prefix(const Source& file, const DeviceEntry& entry, std::uint64_t wanted,
                                ZSTD_DCtx* context) {
    constexpr std::uint64_t k_step = 1u << 14;
    std::string output(static_cast<std::size_t>(wanted), '\0');
    ZSTD_outBuffer out{&output[0], output.size(), 0};
    for (std::uint64_t at = 0; at < entry.size && out.pos < out.size;) {
        const std::uint64_t length = std::min(entry.size - at, k_step);
        const std::string input = read_bytes(file, entry.offset + at, static_cast<std::size_t>(length));
        if (input.size() < length) return payload_trouble(entry, "is cut off", "the file ended early");
        at += length;
        for (ZSTD_inBuffer in{input.data(), input.size(), 0}; in.pos < in.size && out.pos < out.size;) {
            const std::size_t left = ZSTD_decompressStream(context, &out, &in);
            if (ZSTD_isError(left)) return damaged(entry, ZSTD_getErrorName(left));
            if (left == 0) at = entry.size;
            if (left == 0) break;
        }
    }
    // One more call may return what is decoded already.
    for (ZSTD_inBuffer none{nullptr, 0, 0}; out.pos < out.size;) {
        const std::size_t before = out.pos;
        if (ZSTD_isError(ZSTD_decompressStream(context, &out, &none)) || out.pos == before) break;
    }
    if (out.pos < out.size) return damaged(entry, "only " + std::to_string(out.pos) + " bytes came out");
    return output;
}

Result<std::string> zstd(const Source& file, const DeviceEntry& entry, std::uint64_t wanted) {
    if (const auto trouble = implausible(entry, k_zstd_ratio)) return *trouble;
    ZSTD_DCtx* const context = zstd_context();
    if (!context) return damaged(entry, "out of memory");
    return wanted == entry.uncompressed ? zstd_whole(file, entry, context)
                                        : zstd_prefix(file, entry, wanted, context);
}

}  // namespace

Result<std::string> read_payload(const Source& file, const DeviceEntry& entry, std::size_t limit) {
    if (entry.obfuscated) return payload_trouble(entry, "is obfuscated", "only the driver can read it");
    const std::uint64_t content = entry.compressed ? entry.uncompressed : entry.size;
    const std::uint64_t wanted = limit == 0 ? content : std::min<std::uint64_t>(content, limit);
    if (!entry.compressed) {
        if (wanted > k_max_payload)
            return payload_trouble(entry, "cannot be read", "it is larger than 1 GiB");
        return stored(file, entry, wanted);
    }
    if ((entry.flags & k_compressed) == k_lz4) return lz4(file, entry, wanted);
    if ((entry.flags & k_compressed) == k_zstd) return zstd(file, entry, wanted);
    return payload_trouble(entry, "cannot be decompressed", "it is compressed in a way that is not known");
}

}  // namespace ptxguard
