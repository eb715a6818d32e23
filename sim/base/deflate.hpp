// Bytes made smaller by zlib (RFC 1950), and their checksums.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pipewright {

enum class Effort : uint8_t { quick, thorough };

std::string deflated(std::string_view bytes, Effort effort = Effort::thorough);
/// `size` bytes again; empty where `packed` does not hold just as many. Nothing is allocated for a
/// size that `packed` cannot have.
std::optional<std::string> inflated(std::string_view packed, size_t size);
/// CRC-32, which any single flipped bit changes.
int64_t crc(std::string_view bytes);

}  // namespace pipewright
