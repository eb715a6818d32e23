// Lists of bytes as one packet.
#pragma once

#include <cstddef>
#include <vector>

namespace pipewright::transport {

/// Bytes of a value that is no more than them.
std::vector<std::byte> bytes_of(const void* data, size_t size);

using Parts = std::vector<std::vector<std::byte>>;

/// Each part after its length.
std::vector<std::byte> pack(const Parts& parts);
/// What pack() made of `count` parts.
Parts unpack(const std::vector<std::byte>& bytes, size_t count);

}  // namespace pipewright::transport
