// An experiment as the user wrote it, read and checked: everything that decides a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/value.hpp"
#include "program/rank_order.hpp"
#include "workload/work.hpp"

namespace pipewright {

/// A time of the synthetic model, as the contract words it: a scalar is one micro-batch through one
/// device's whole share; a list is one value a stage; `slices` one value a token slice.
struct SyntheticTime {
  enum class Form : uint8_t { share, per_stage, per_slice };
  Form form = Form::share;
  std::vector<Time> values;
  /// Of one stage and one slice when a device holds `chunks` stages and a micro-batch `slices`.
  Time of(int stage, int slice, int chunks, int slices) const;
};

/// A pipeline of given times, for studying a schedule by itself.
struct SyntheticModel {
  int devices = 1, micro_batches = 1;
  SyntheticTime forward, backward;
  std::optional<SyntheticTime> weight_gradient;  ///< default: half of backward
  std::optional<SyntheticTime> pair;             ///< default: the sum of the two
  Bytes activation, boundary, weights;
};

struct Parallel {
  int tensor = 1, pipeline = 1, data = 1, virtual_stages = 1, context = 1, expert = 1, zero = 0;
  bool sequence = false;
};

struct Batch {
  int64_t global = 0, micro = 1;
  int sequence = 0;
};

struct Overlap {
  SendMode p2p = SendMode::async;
  Bytes buffer;  ///< of buffered sends
  bool data = true;
  std::string tensor = "none";
};

/// `stragglers:`: compute on these devices takes `slowdown` times as long.
struct Straggler {
  int device = 0;
  double slowdown = 1;
};

}  // namespace pipewright
