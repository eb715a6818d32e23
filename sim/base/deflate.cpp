#include "base/deflate.hpp"

#include <zlib.h>

#include <new>

#include "base/error.hpp"

namespace pipewright {
namespace {

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

void read_from(z_stream& stream, std::string_view bytes) {
  stream.next_in = const_cast<Bytef*>(bytes_of(bytes));  // which zlib only reads
  stream.avail_in = static_cast<uInt>(bytes.size());
}

void write_to(z_stream& stream, std::string& bytes) {
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
}

/// Tells whether the stream fills `bytes` and ends there.
bool inflates(z_stream& stream, std::string_view packed, std::string_view sample,
              std::string& bytes) {
  read_from(stream, packed);
  write_to(stream, bytes);
  int status = inflate(&stream, Z_FINISH);
  if (status == Z_NEED_DICT &&
      inflateSetDictionary(&stream, bytes_of(sample), static_cast<uInt>(sample.size())) == Z_OK)
    status = inflate(&stream, Z_FINISH);
  return status == Z_STREAM_END && stream.avail_out == 0;
}

}  // namespace

std::string deflated(std::string_view bytes, std::string_view sample) {
  ensure(bytes.size() <= UINT32_MAX && sample.size() <= UINT32_MAX,
         "so much is not deflated at once");
  z_stream stream{};
  if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
  const bool takes_sample =
      sample.empty() ||
      deflateSetDictionary(&stream, bytes_of(sample), static_cast<uInt>(sample.size())) == Z_OK;
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  read_from(stream, bytes);
  write_to(stream, packed);
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  ensure(takes_sample && status == Z_STREAM_END, "bytes cannot be deflated");
  return packed;
}

std::optional<std::string> inflated(std::string_view packed, size_t size, std::string_view sample) {
  constexpr size_t most_folded = 1032;  // bytes that one byte of deflate stands for at most
  if (size / most_folded > packed.size() || size > UINT32_MAX || packed.size() > UINT32_MAX)
    return std::nullopt;
  std::string bytes(size, '\0');
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  const bool is_whole = inflates(stream, packed, sample, bytes);
  inflateEnd(&stream);
  return is_whole ? std::optional(std::move(bytes)) : std::nullopt;
}

int64_t crc(std::string_view bytes, int64_t before) {
  return static_cast<int64_t>(crc32_z(static_cast<uLong>(before), bytes_of(bytes), bytes.size()));
}

}  // namespace pipewright
