#include "report/page/columns.hpp"

#include <algorithm>

#include "base/deflate.hpp"

namespace pipewright {
namespace {

std::string little_endian(std::span<const int32_t> values, int width) {
  std::string bytes;
  bytes.reserve(values.size() * static_cast<size_t>(width));
  for (const int32_t value : values)
    for (int byte = 0; byte < width; ++byte)
      bytes += static_cast<char>(static_cast<uint32_t>(value) >> (8 * byte) & 0xff);
  return bytes;
}

/// Each number as its difference to the one before, modulo 2^32: first the lowest bytes of all,
/// then the next ones. A schedule repeats itself, and so do these bytes.
std::string planes_of_differences(std::span<const int32_t> values) {
  const size_t n = values.size();
  std::string planes(4 * n, '\0');
  uint32_t before = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t difference = static_cast<uint32_t>(values[i]) - before;
    before = static_cast<uint32_t>(values[i]);
    for (size_t byte = 0; byte < 4; ++byte)
      planes[byte * n + i] = static_cast<char>(difference >> (8 * byte) & 0xff);
  }
  return planes;
}

constexpr size_t worth_deflating = 256;

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string column_json(std::span<const int32_t> values) {
  if (values.size() >= worth_deflating)
    return "[\"d4\",\"" + base64(deflated(planes_of_differences(values))) + "\"]";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const bool negative = !values.empty() && *least < 0;
  const int32_t top = values.empty() ? 0 : *most;
  const int width = negative || top > 0xffff ? 4 : top > 0xff ? 2 : 1;
  const char* type = width == 4 ? "i4" : width == 2 ? "u2" : "u1";
  return std::string("[\"") + type + "\",\"" + base64(little_endian(values, width)) + "\"]";
}

}  // namespace pipewright
