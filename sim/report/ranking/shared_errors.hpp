// Which runs of a sweep are no rivals: what predictions of them are off by, they share.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "report/ranking/sweep.hpp"

namespace pipewright {

/// Tells whether a key of an experiment only adds work to a job that is otherwise the same.
bool only_adds_work(std::string_view path);

/// Tells whether a key of an experiment says how the job is simulated, not how it runs.
bool is_of_simulation(std::string_view path);

/// Tells of each key whether its values say how the job is simulated. A network with options is a
/// network, and its name alone a way to simulate.
std::vector<bool> keys_of_simulation(const SweepView& view,
                                     const std::vector<SweepCandidate>& candidates);

/// Tells whether two runs have the same settings, but for those of `other` keys.
bool same_but_for(const std::vector<bool>& other, const SweepCandidate& a, const SweepCandidate& b);

/// Returns of each run whether another does the same job with less work and in less time, given the
/// times of the runs in the order of the points.
std::vector<bool> beaten_by_less_work(const SweepView& view,
                                      const std::vector<std::optional<double>>& times);

}  // namespace pipewright
