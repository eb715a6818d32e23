// The nodes of all ranks become the ops of one trace.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "interop/chakra_file.hpp"
#include "interop/chakra_groups.hpp"

namespace pipewright::chakra {
namespace {

using goal::Goal;
using goal::Kind;

constexpr uint8_t messages_cpu = 250, host_cpu = 251, memory_cpu = 252;

/// The kind of a collective that can be simulated; throws `refuse` otherwise.
std::optional<CollectiveKind> kind_of(CommType type) {
  switch (type) {
    case CommType::all_reduce:
    case CommType::barrier:
      return CollectiveKind::all_reduce;
    case CommType::reduce:
      return CollectiveKind::reduce;
    case CommType::all_gather:
      return CollectiveKind::all_gather;
    case CommType::broadcast:
      return CollectiveKind::broadcast;
    case CommType::all_to_all:
      return CollectiveKind::all_to_all;
    case CommType::reduce_scatter:
    case CommType::reduce_scatter_block:
      return CollectiveKind::reduce_scatter;
    default:
      return std::nullopt;
  }
}

/// Collectives as they are met: each member's k-th of a group is the group's k-th.
class Collectives {
 public:
  Collectives(Goal& goal, const Groups& groups) : goal_(goal), groups_(groups) {}

  /// Returns the number of the collective that is the next of `rank` in its group.
  uint32_t join(const std::string& group, uint32_t rank, CollectiveKind kind, int64_t bytes) {
    std::vector<uint32_t>& of_group = of_group_[group];
    const uint32_t turn = turn_[{group, rank}]++;
    if (turn == of_group.size()) {
      of_group.push_back(static_cast<uint32_t>(goal_.collectives.size()));
      goal_.collectives.push_back({kind, {bytes}, *groups_.members(group), {}});
    }
    return of_group[turn];
  }

 private:
  Goal& goal_;
  const Groups& groups_;
  std::map<std::string, std::vector<uint32_t>> of_group_;
  std::map<std::pair<std::string, uint32_t>, uint32_t> turn_;
};

/// Throws InputError where a collective lacks one of its members.
void check_collectives(const Goal& goal) {
  for (const goal::Collective& one : goal.collectives) {
    if (one.ops.size() == one.members.size()) continue;
    const uint32_t first = one.ops.front();
    std::vector<bool> there(goal.ranks.size());
    for (const uint32_t op : one.ops) there[goal.rank_of(op)] = true;
    const auto missing = std::find_if(one.members.begin(), one.members.end(),
                                      [&](uint32_t rank) { return !there[rank]; });
    throw InputError(goal.where(first),
                     fmt::format("rank {}'s {} is a collective that rank {} does not take part "
                                 "in: it has fewer of that process group",
                                 goal.rank_of(first), goal.name(first), *missing));
  }
}

class Reading {
 public:
  Reading(const std::string& prefix, uint32_t ranks, const Estimate& estimate)
      : ranks_(ranks), estimate_(estimate), groups_(ranks), collectives_(goal_, groups_) {
    goal_.file = prefix;
    goal_.file_of_rank = file_name;
  }

  void add_rank(const std::vector<Node>& nodes) {
    rank_ = static_cast<uint32_t>(goal_.ranks.size());
    goal_.ranks.push_back(
        {static_cast<uint32_t>(goal_.ops.size()), static_cast<uint32_t>(nodes.size())});
    if (goal_.ops.size() + nodes.size() > goal::most_ops)
      fail(fmt::format("more than {} nodes in all files", goal::most_ops));
    op_of_.clear();
    streams_.clear();
    for (const Node& node : nodes) {
      const auto op = static_cast<uint32_t>(goal_.ops.size());
      if (!op_of_.try_emplace(node.id, op).second) refuse(node, "is there twice");
      goal_.labels.push_back(goal_.label_table.add(fmt::format("node {}", node.id)));
      goal_.ops.push_back(read(node));
    }
    for (const Node& node : nodes) add_dependencies(node);
  }

  /// Groups that no node describes are looked for in the file beside the traces.
  void look_for_groups_in_file() { file_may_have_groups_ = true; }

  Goal finish() {
    check_collectives(goal_);
    return std::move(goal_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_name(goal_.file, rank_), 0, 0}, message);
  }
  [[noreturn]] void refuse(const Node& node, const std::string& what) const {
    fail(fmt::format("rank {}'s node {} {}", rank_, node.id, what));
  }

  goal::Op read(const Node& node) {
    switch (node.type) {
      case NodeType::invalid:
        return {};
      case NodeType::metadata:
        return read_metadata(node);
      case NodeType::mem_load:
      case NodeType::mem_store:
        return read_calc(node, memory_cpu);
      case NodeType::comp:
        return read_calc(node, node.is_cpu_op ? host_cpu : cpu_of(node));
      case NodeType::comm_send:
        return read_message(node, Kind::send, node.comm_dst, "comm_dst");
      case NodeType::comm_recv:
        return read_message(node, Kind::recv, node.comm_src, "comm_src");
      case NodeType::comm_coll:
        return read_collective(node);
    }
    refuse(node, fmt::format("is of type {}, which cannot be simulated (0 to 7 can)",
                             static_cast<int>(node.type)));
  }

  goal::Op read_calc(const Node& node, uint8_t cpu) const {
    goal::Op op{.kind = Kind::calc, .cpu = cpu};
    const bool says_what = node.operations > 0 || node.bytes > 0;
    op.amount = node.nanoseconds.value_or(0);
    if (node.nanoseconds || !says_what) return op;
    op.amount = estimate_ ? estimate_(node.operations, node.bytes) : -1;
    if (op.amount < 0) {
      refuse(node,
             "has no duration, and nothing says how long its num_ops and tensor_size take: "
             "the cluster must say which devices it has");
    }
    return op;
  }

  /// Streams by the order in which they are met; the first is that of nodes without one.
  uint8_t cpu_of(const Node& node) {
    const size_t next = streams_.size();
    const size_t cpu = streams_.try_emplace(node.stream.value_or(0), next).first->second;
    if (cpu >= messages_cpu) refuse(node, fmt::format("is of the {}th stream", cpu + 1));
    return static_cast<uint8_t>(cpu);
  }

  goal::Op read_message(const Node& node, Kind kind, std::optional<int64_t> peer,
                        const char* key) const {
    if (!peer) refuse(node, fmt::format("has no {}", key));
    if (*peer >= ranks_) {
      refuse(node, fmt::format("has the {} {}, but there are {} ranks: '{}' is not there", key,
                               *peer, ranks_, file_name(goal_.file, static_cast<uint32_t>(*peer))));
    }
    return {.amount = size(node),
            .peer = static_cast<uint32_t>(*peer),
            .tag = static_cast<uint32_t>(node.comm_tag.value_or(0)),
            .kind = kind,
            .cpu = messages_cpu};
  }

  int64_t size(const Node& node) const {
    if (!node.comm_size) refuse(node, "has no comm_size");
    return *node.comm_size;
  }

  goal::Op read_metadata(const Node& node) {
    groups_.describe(node.inputs, [&](const std::string& what) { refuse(node, what); });
    return {};
  }

  const Members* members(const std::string& group) {
    const Members* members = groups_.members(group);
    if (members || !std::exchange(file_may_have_groups_, false)) return members;
    groups_.read_file(groups_file_name(goal_.file));
    return groups_.members(group);
  }

  goal::Op read_collective(const Node& node) {
    if (!node.comm_type) refuse(node, "has no comm_type");
    const auto type = static_cast<CommType>(*node.comm_type);
    const std::optional<CollectiveKind> kind = kind_of(type);
    if (!kind) {
      refuse(node, fmt::format("is a collective with the comm_type {}, which cannot be simulated "
                               "(0, 1, 2, 5, 6, 7, 8 and 9 can: not gather and scatter)",
                               *node.comm_type));
    }
    const Members* members = this->members(node.group);
    if (!members) {
      refuse(node, fmt::format("is of process group '{}', which neither a METADATA node before it "
                               "nor '{}' describes",
                               node.group, groups_file_name(goal_.file)));
    }
    if (std::find(members->begin(), members->end(), rank_) == members->end())
      refuse(node,
             fmt::format("is of process group '{}', which rank {} is not in", node.group, rank_));
    return join(node, *kind, type == CommType::barrier ? 0 : size(node), members->size());
  }

  goal::Op join(const Node& node, CollectiveKind kind, int64_t bytes, size_t members) {
    if (kind == CollectiveKind::all_gather) {
      if (bytes > INT64_MAX / static_cast<int64_t>(members)) refuse(node, "gathers too many bytes");
      bytes *= static_cast<int64_t>(members);
    }
    const uint32_t number = collectives_.join(node.group, rank_, kind, bytes);
    goal::Collective& joined = goal_.collectives[number];
    const auto op = static_cast<uint32_t>(goal_.ops.size());
    if (joined.kind != kind || joined.bytes.count != bytes) {
      const uint32_t other = joined.ops.front();
      refuse(node, fmt::format("meets rank {}'s {} in process group '{}', which is of another {}",
                               goal_.rank_of(other), goal_.name(other), node.group,
                               joined.kind != kind ? "kind" : "size"));
    }
    joined.ops.push_back(op);
    return {.amount = bytes, .peer = number, .kind = Kind::collective, .cpu = messages_cpu};
  }

  void add_dependencies(const Node& node) {
    const uint32_t op = op_of_.at(node.id);
    for (const uint64_t on : node.after) {
      const auto found = op_of_.find(on);
      if (found == op_of_.end())
        refuse(node, fmt::format("waits for node {}, which the file does not have", on));
      goal_.dependencies.push_back({op, found->second, 0});
    }
  }

  uint32_t ranks_, rank_ = 0;
  bool file_may_have_groups_ = false;
  const Estimate& estimate_;
  Goal goal_;
  Groups groups_;
  Collectives collectives_;
  // Of the rank at hand:
  std::unordered_map<uint64_t, uint32_t> op_of_;  // by id
  std::map<int64_t, size_t> streams_;
};

/// The number of a file PREFIX.<number>.et; empty for any other.
std::optional<uint32_t> rank_of(const std::string& file, const std::string& prefix) {
  const std::string start = prefix + ".";
  if (!file.starts_with(start) || !file.ends_with(".et")) return std::nullopt;
  uint32_t rank = 0;
  const char* end = file.data() + file.size() - 3;
  const auto [at, error] = std::from_chars(file.data() + start.size(), end, rank);
  return at == end && error == std::errc() ? std::optional(rank) : std::nullopt;
}

/// Returns how many files there are, from 0 and without a gap.
uint32_t count_ranks(const std::string& prefix, const Where& named_at) {
  const std::filesystem::path path(prefix);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::set<uint32_t> ranks;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const auto rank = rank_of(entry.path().filename().string(), path.filename().string());
    if (rank && *rank < goal::most_ranks) ranks.insert(*rank);
  }
  if (ranks.empty()) {
    throw InputError(named_at, fmt::format("no Chakra trace '{}': the files of its ranks are '{}', "
                                           "'{}', ...",
                                           prefix, file_name(prefix, 0), file_name(prefix, 1)));
  }
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks.contains(rank)) continue;
    throw InputError(named_at,
                     fmt::format("'{}' is missing: there is '{}'", file_name(prefix, rank),
                                 file_name(prefix, *ranks.rbegin())));
  }
  return static_cast<uint32_t>(ranks.size());
}

}  // namespace

std::string file_name(const std::string& prefix, uint32_t rank) {
  return fmt::format("{}.{}.et", prefix, rank);
}

Goal parse(std::span<const std::string> files, const std::string& prefix,
           const Estimate& estimate) {
  Reading reading(prefix, static_cast<uint32_t>(files.size()), estimate);
  for (uint32_t rank = 0; rank < files.size(); ++rank)
    reading.add_rank(read_nodes(files[rank], file_name(prefix, rank)));
  return reading.finish();
}

Goal read(const std::string& prefix, const Where& named_at, const Estimate& estimate) {
  const uint32_t ranks = count_ranks(prefix, named_at);
  Reading reading(prefix, ranks, estimate);
  reading.look_for_groups_in_file();
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string file = file_name(prefix, rank);
    reading.add_rank(read_nodes(contents_of(file), file));
  }
  return reading.finish();
}

}  // namespace pipewright::chakra
