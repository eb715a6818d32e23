#include "base/deflate.hpp"

#include <zlib.h>

#include "base/error.hpp"

namespace pipewright {
namespace {

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

}  // namespace

std::string deflated(std::string_view bytes, Effort effort) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int level = effort == Effort::quick ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION;
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, bytes_of(bytes),
                               static_cast<uLong>(bytes.size()), level);
  ensure(status == Z_OK, "bytes cannot be deflated");
  packed.resize(size);
  return packed;
}

std::optional<std::string> inflated(std::string_view packed, size_t size) {
  constexpr size_t most_folded = 1032;  // bytes that one byte of deflate stands for at most
  if (size / most_folded > packed.size()) return std::nullopt;
  std::string bytes(size, '\0');
  uLongf length = size;
  const int status = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length, bytes_of(packed),
                                static_cast<uLong>(packed.size()));
  if (status != Z_OK || length != size) return std::nullopt;
  return bytes;
}

int64_t crc(std::string_view bytes) {
  return static_cast<int64_t>(crc32_z(0, bytes_of(bytes), bytes.size()));
}

}  // namespace pipewright
