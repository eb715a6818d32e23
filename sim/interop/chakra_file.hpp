// One file of a Chakra trace as plain values. Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interop/chakra.hpp"

namespace pipewright::chakra {

struct Node {
  uint64_t id = 0;
  NodeType type = NodeType::invalid;
  std::vector<uint64_t> after;  ///< ids of what it waits for
  std::optional<int64_t> nanoseconds;
  std::string inputs;  ///< of METADATA
  std::string group;
  bool is_cpu_op = false;
  std::optional<int64_t> stream, comm_type, comm_size, comm_src, comm_dst, comm_tag;
  double operations = 0, bytes = 0;
};

/// Throws InputError, at `file`, for what is no such trace, is cut short, or is of another version.
std::vector<Node> read_nodes(const std::string& contents, const std::string& file);

}  // namespace pipewright::chakra
