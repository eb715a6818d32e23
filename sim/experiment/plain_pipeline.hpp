// An experiment's schedule, where it is one that closed forms know.
#pragma once

#include <optional>

#include "config/value.hpp"
#include "schedule/plain_pipeline.hpp"

namespace pipewright {

/// A schedule that closed forms know: its Kind says what they need to.
struct Pipeline {
  const schedule::PlainPipeline* plain = nullptr;
  int chunks = 1;  ///< of a rank

  /// Returns the pipeline of an experiment's `schedule` and `parallel.virtual`; empty for others,
  /// and for options that closed forms do not know.
  static std::optional<Pipeline> of(const config::Value& schedule,
                                    std::optional<int> virtual_stages = {});
};

}  // namespace pipewright
