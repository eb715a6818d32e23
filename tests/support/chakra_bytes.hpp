// Chakra traces byte by byte, by the field numbers of the public schema (mlcommons/chakra,
// schema/protobuf/et_def.proto, version 0.0.4) and by no code of ours.
#pragma once

#include <cstdint>
#include <string>

namespace pipewright::test {

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string field(uint32_t number, uint64_t value) {
  return varint(number << 3) + varint(value);
}
inline std::string field(uint32_t number, const std::string& value) {
  return varint(number << 3 | 2) + varint(value.size()) + value;
}
/// An attribute with an int64_val, a string_val, or an int32_val.
inline std::string attribute(const std::string& name, int64_t value) {
  return field(10, field(1, name) + field(9, static_cast<uint64_t>(value)));
}
inline std::string attribute(const std::string& name, const std::string& value) {
  return field(10, field(1, name) + field(29, value));
}
inline std::string small_attribute(const std::string& name, uint32_t value) {
  return field(10, field(1, name) + field(7, value));
}
inline std::string node(uint64_t id, uint32_t type, const std::string& rest = "") {
  const std::string body = field(1, id) + field(3, type) + rest;
  return varint(body.size()) + body;
}
inline std::string after(uint64_t id) { return field(5, id); }
inline std::string micros(uint64_t duration) { return field(7, duration); }

inline std::string comp(uint64_t id, uint64_t duration_micros, const std::string& rest = "") {
  return node(id, 4, micros(duration_micros) + rest);
}
inline std::string send(uint64_t id, uint32_t to, int64_t bytes, const std::string& rest = "") {
  return node(id, 5, small_attribute("comm_dst", to) + attribute("comm_size", bytes) + rest);
}
inline std::string recv(uint64_t id, uint32_t from, int64_t bytes, const std::string& rest = "") {
  return node(id, 6, small_attribute("comm_src", from) + attribute("comm_size", bytes) + rest);
}
inline std::string coll(uint64_t id, int64_t type, int64_t bytes, const std::string& rest = "") {
  return node(id, 7, attribute("comm_type", type) + attribute("comm_size", bytes) + rest);
}

/// A file: the metadata, then nodes.
inline std::string et(const std::string& nodes, const std::string& version = "0.0.4") {
  const std::string metadata = field(1, version);
  return varint(metadata.size()) + metadata + nodes;
}

}  // namespace pipewright::test
