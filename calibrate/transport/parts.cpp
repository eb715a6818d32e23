#include "calibrate/transport/parts.hpp"

#include <cstdint>
#include <cstring>

namespace pipewright::transport {

std::vector<std::byte> bytes_of(const void* data, size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  return bytes;
}

std::vector<std::byte> pack(const Parts& parts) {
  std::vector<std::byte> bytes;
  for (const std::vector<std::byte>& part : parts) {
    const uint64_t size = part.size();
    const std::vector<std::byte> head = bytes_of(&size, sizeof size);
    bytes.insert(bytes.end(), head.begin(), head.end());
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

Parts unpack(const std::vector<std::byte>& bytes, size_t count) {
  Parts parts(count);
  const std::byte* at = bytes.data();
  for (std::vector<std::byte>& part : parts) {
    uint64_t size = 0;
    std::memcpy(&size, at, sizeof size);
    at += sizeof size;
    part.assign(at, at + size);
    at += size;
  }
  return parts;
}

}  // namespace pipewright::transport
