// The synthetic model: a pipeline of given times, for studying a schedule by itself.
#pragma once

#include <optional>
#include <vector>

#include "config/value.hpp"
#include "program/lower.hpp"

namespace pipewright {

/// A time of the synthetic model. A scalar is one micro-batch through one device's whole share; a
/// list is one value a stage and `slices` one value a token slice, both taken as they stand.
struct SyntheticTime {
  enum class Form : uint8_t { share, per_stage, per_slice };
  Form form = Form::share;
  std::vector<Time> values;
  config::Value source;  ///< for errors

  /// Returns the time of one stage and one slice, when a device holds `chunks` stages and a
  /// micro-batch is cut in `slices`.
  Time of(int stage, int slice, int chunks, int slices) const;
};

struct SyntheticModel {
  int devices = 1, micro_batches = 1;
  SyntheticTime forward, backward;
  std::optional<SyntheticTime> weight_gradient;  ///< default: half of backward
  std::optional<SyntheticTime> update;           ///< default: nothing follows the passes
  std::optional<Time> pair;                      ///< a share; default: the sum of the two
  Bytes activation, boundary, weights;
};

SyntheticModel read_synthetic(const config::Value& value);

/// Work of every stage and slice of `schedule`. Fails where a list does not have one value a stage
/// or slice.
std::vector<StageWork> synthetic_stages(const SyntheticModel& model,
                                        const schedule::Schedule& schedule);

/// The updates of every stage; none where the model has no time for them. Fails as the above.
std::vector<UpdateWork> synthetic_updates(const SyntheticModel& model,
                                          const schedule::Schedule& schedule);

/// The same as costs, for schedules that are searched.
schedule::StageCosts synthetic_costs(const SyntheticModel& model, int stages, Time hop);

}  // namespace pipewright
