// MLCommons Chakra execution traces: PREFIX.0.et, PREFIX.1.et, ..., one file of nodes for each
// rank, read as the trace that GOAL describes too.
//
//   COMP, MEM_LOAD,      a calc of its duration: the attribute duration_ns, else duration_micros;
//   MEM_STORE            without either, what `estimate` makes of num_ops and tensor_size
//   COMM_SEND, _RECV     a message of comm_size bytes to comm_dst, from comm_src, with comm_tag
//   COMM_COLL            a collective of comm_type over the group pg_name, or over all ranks; the
//                        k-th of a group in each of its files is one and the same
//   METADATA             may describe groups, as PyTorch does: a JSON list of objects with pg_name
//                        and ranks. Takes no time, as INVALID
//
// Groups that no node describes may stand in PREFIX.json, as ASTRA-sim's comm-group-configuration
// has them: {"GROUP": [RANK, ...], ...}.
//
// comm_size is what a member puts in: of all_gather its own part, of the others the whole buffer.
// Nodes start when all that their data_deps and ctrl_deps name has ended. Of a rank's COMP nodes
// of one `stream` (an attribute; none: one stream) one runs at a time; nodes with is_cpu_op and
// memory nodes have lanes of their own. start_time_micros means nothing.
//
// Source: the schema of mlcommons/chakra, version 0.0.4; for what sizes mean, ASTRA-sim's rings.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "interop/goal.hpp"

namespace pipewright::chakra {

/// Types of nodes and of collectives, by the numbers of the schema.
enum class NodeType : int {
  invalid,
  metadata,
  mem_load,
  mem_store,
  comp,
  comm_send,
  comm_recv,
  comm_coll
};
enum class CommType : int64_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier
};

inline constexpr const char* version = "0.0.4";

/// Returns the ns of an operation that gives no time: of so many FLOPs over so many bytes. Negative
/// where nobody can know.
using Estimate = std::function<int64_t(double operations, double bytes)>;

/// Reads all files of `prefix`. `named_at` is where the user named it. Throws InputError for files
/// that are missing and for the first thing that is wrong in one.
goal::Goal read(const std::string& prefix, const Where& named_at = {},
                const Estimate& estimate = {});

/// The same from memory: one file a rank.
goal::Goal parse(std::span<const std::string> files, const std::string& prefix,
                 const Estimate& estimate = {});

/// PREFIX.<rank>.et
std::string file_name(const std::string& prefix, uint32_t rank);

}  // namespace pipewright::chakra
