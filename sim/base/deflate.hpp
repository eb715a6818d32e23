// Bytes made smaller by zlib (RFC 1950), and their checksums.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pipewright {

/// What `bytes` have in common with the last 32 KiB of `sample` takes hardly any room.
std::string deflated(std::string_view bytes, std::string_view sample = {});
/// `size` bytes again; empty where `packed` does not hold just as many, or was made with another
/// sample. Nothing is allocated for a size that `packed` cannot have.
std::optional<std::string> inflated(std::string_view packed, size_t size,
                                    std::string_view sample = {});
/// CRC-32, which any single flipped bit changes. It goes on from that of the bytes `before`.
int64_t crc(std::string_view bytes, int64_t before = 0);

}  // namespace pipewright
