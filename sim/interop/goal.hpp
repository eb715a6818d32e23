// LogGOPSim's GOAL text: for each rank what it computes, sends and receives, and what waits for
// what.
//
//   num_ranks 2
//   rank 0 {
//   l1: calc 100 cpu 0                    100 ns
//   l2: send 10b to 1 tag 3 cpu 0 nic 0   10 bytes
//   l2 requires l1                        l2 starts after l1 has ended
//   }
//   rank 1 {
//   l1: recv 10b from 0 tag 3
//   l2: calc 5
//   l2 irequires l1                       l2 starts after l1 has started
//   }
//
// One statement a line; // and /* */ are comments; labels, tag, cpu and nic are optional (no label,
// 0, 0, 0) and labels belong to their rank. Beyond what LogGOPSim's own reader takes, ranks may
// come in any order, labels may be used before they are given, and a comment or '}' may end a line.
// A wildcard (-1 for any source or tag) is refused.
//
// Source: LogGOPSim 1.0, txt2bin.re; Hoefler, Schneider, Lumsdaine, LogGOPSim (LSAP'10).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/labels.hpp"
#include "workload/layer.hpp"

namespace pipewright::goal {

enum class Kind : uint8_t {
  calc,
  send,
  recv,
  // Not in GOAL, but in other traces:
  collective,  ///< one member's part in it
  marker,      ///< takes no time and holds nothing
};

struct Op {
  int64_t amount = 0;  ///< of nanoseconds or bytes
  uint32_t peer = 0;   ///< of a message: the other rank; of a collective: which of Goal's
  uint32_t tag = 0;
  uint32_t line = 0;   ///< where it stands in the file
  uint8_t column = 0;  ///< 0 beyond 255
  Kind kind = Kind::calc;
  uint8_t cpu = 0, nic = 0;
};

/// `op` waits for `on`: for its end, or with `on_start` for its start. Indices into Goal::ops.
struct Dependency {
  uint32_t op;
  uint32_t on : 31, on_start : 1;
};

/// A rank's ops are Goal::ops[first .. first + count), in the order of the file.
struct Rank {
  uint32_t first = 0, count = 0;
};

/// Starts when all members have reached it and ends for all at once.
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Bytes bytes;                    ///< as nccl-tests counts, see CollectiveWork
  std::vector<uint32_t> members;  ///< ranks
  std::vector<uint32_t> ops;      ///< one of each member
};

struct Goal {
  std::string file;  ///< for errors
  /// Returns the name of a rank's file, where each rank has a file of its own; `file` is its prefix
  /// then.
  std::string (*file_of_rank)(const std::string& prefix, uint32_t rank) = nullptr;
  std::vector<Rank> ranks;
  std::vector<Op> ops;
  std::vector<Label> labels;  ///< by op; empty where it has none
  LabelTable label_table;
  std::vector<Dependency> dependencies;
  std::vector<Collective> collectives;

  std::span<const Op> ops_of(uint32_t rank) const {
    return {ops.data() + ranks[rank].first, ranks[rank].count};
  }
  uint32_t rank_of(uint32_t op) const;
  Where where(uint32_t op) const;
  /// "l3", or "op at line 12" where it has no label.
  std::string name(uint32_t op) const;
};

/// Limits on what a file may ask for.
inline constexpr uint32_t most_ranks = 1 << 24, most_ops = 1 << 29;

/// Reads a file, in pieces; `-` is standard input. `named_at` is where the user named it. Throws
/// InputError for a file that cannot be read and for the first thing in it that is not GOAL.
Goal read_file(const std::string& path, const Where& named_at = {});
/// The same from memory.
Goal parse(std::string_view text, std::string_view file_name);

/// Messages by channel (from, to, tag): channel c holds sends[first[c] .. first[c+1]) and as many
/// receives at the same places, both in the order of the file.
struct Channels {
  std::vector<uint32_t> sends, receives;
  std::vector<uint32_t> first;  ///< one more than there are channels
};

/// Throws InputError for a send without a receive or a receive without a send, for sizes that no
/// order of a channel's messages makes agree, and for ops that wait for each other in a circle
/// within a rank.
Channels check(const Goal& goal);

/// Throws InputError unless `send` and `receive` have the same size.
void check_sizes(const Goal& goal, uint32_t send, uint32_t receive);

}  // namespace pipewright::goal
