// Times of a collective by size, beside measured ones where there are any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "network/nccl/choice.hpp"

namespace pipewright {

struct CollectiveRow {
  Bytes bytes;
  double time_s = 0;
  std::optional<NcclChoice> choice;  ///< where NCCL has one
  bool extrapolated = false;         ///< outside the sizes or nodes that were measured
  std::optional<double> measured_s;
  bool is_known = false;               ///< the prediction was made of `measured_s` itself
  double moving_s = 0;                 ///< of time_s, while bytes move
  std::optional<double> p50_s, p95_s;  ///< over routes that are drawn by hash

  /// (predicted - measured) / measured; empty where nothing was measured, or nothing predicted
  /// because the profile holds that very time.
  std::optional<double> error() const;
};

/// What is known of times over more nodes than were measured.
struct BeyondMeasured {
  int nodes = 0;         ///< the most that were
  double deviation = 0;  ///< of such times' logarithm
};

struct CollectiveTable {
  std::string cluster, operation, by;  ///< by: what predicted it
  std::string type = "float";
  int element_bytes = 4;
  int ranks = 0, nodes = 1;
  std::optional<BeyondMeasured> beyond;
  std::vector<CollectiveRow> rows;
  std::string left_out;  ///< what else the measurements beside the rows hold; empty: nothing
};

/// Bytes/s of the buffer, and what a link carries for it, as nccl-tests defines both.
double algorithm_bandwidth(const CollectiveRow& row);
double bus_bandwidth(const CollectiveTable& table, const CollectiveRow& row);
/// Elements, as nccl-tests counts them: of one member's part where the buffer is put together from
/// or cut into parts.
int64_t elements(const CollectiveTable& table, const CollectiveRow& row);

}  // namespace pipewright
