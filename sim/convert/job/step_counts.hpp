// Numbers of steps that go along, such as those of a warm-up, in a job whose steps are of another
// size: their tokens stay.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/job/job.hpp"

namespace pipewright::job {

/// What an import carries beside a format's keys: `tokens` of a step, and `devices: assumed` where
/// the job does not say how many devices, and so how many tokens, that are.
inline constexpr std::string_view step = "step";

/// Adds `step` to what `import` carries for `format`, where its experiment says its batch.
void carry_step(Import& import, std::string_view format);

/// Returns how many tokens a step has by what goes along; 0 where that is not known.
double tokens_of_a_step(const config::Value& along);

/// Takes `step` out of what goes along, and gives the numbers of steps at `paths` the tokens that
/// they had, in steps of `tokens`. A path may pass through a list by '*'. What has changed is added
/// to `notes`, half a line each.
void count_in_steps(config::Value& along, std::span<const std::string_view> paths, double tokens,
                    std::vector<std::string>& notes);

}  // namespace pipewright::job
