// Text as a file of gzip holds it (RFC 1952), in one block that is not packed.
#pragma once

#include <string>
#include <string_view>

#include "base/deflate.hpp"

namespace pipewright::test {

inline std::string number_bytes(uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string gzip(std::string_view text) {
  const auto size = static_cast<uint32_t>(text.size());
  using namespace std::string_literals;
  return "\x1f\x8b\x08\0\0\0\0\0\0\xff\x01"s + number_bytes(size, 2) + number_bytes(~size, 2) +
         std::string(text) + number_bytes(static_cast<uint32_t>(crc(text)), 4) +
         number_bytes(size, 4);
}

}  // namespace pipewright::test
