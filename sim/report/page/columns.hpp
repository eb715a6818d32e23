// Numbers by the hundred thousand, packed into a page as base64: few of them as little-endian
// integers of the fewest bytes that hold them all, many as differences, deflated (RFC 1950).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pipewright {

/// The column is ["u1"|"u2"|"i4"|"d4", "base64"]: unsigned where the values allow it, signed of 4
/// bytes otherwise. "d4" is deflated: it holds the differences between neighbours, modulo 2^32 and
/// the first to 0, the lowest bytes of all, then the next. The text is JSON, and safe within a
/// <script>.
std::string column_json(std::span<const int32_t> values);

/// The text is that of RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace pipewright
