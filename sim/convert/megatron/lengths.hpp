// Learning rates of a training that has another number of steps, or of samples, than the job that
// it came of: their schedule is stretched with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright::megatron {

/// A number that was stretched, and from which.
struct Stretched {
  std::string path, before, now;
};

/// Stretches the numbers below `along` whose names are those of a schedule in steps or samples
/// (lr_decay_iters, lr-warmup-samples, warmup_steps), as a training of `before` becomes one of
/// `now`. Changes nothing where either is 0.
std::vector<Stretched> stretch(config::Value& along, int64_t before, int64_t now);

/// Returns lines of comments that say what was stretched, and as what.
std::string stretched_lines(const std::vector<Stretched>& all, std::string_view length,
                            int64_t before, int64_t now);

}  // namespace pipewright::megatron
