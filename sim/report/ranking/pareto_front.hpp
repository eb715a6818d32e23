// The Pareto front: what nothing else beats.
#pragma once

#include <vector>

namespace pipewright {

/// The result says of each run whether it stands on the front. Runs have values of the same
/// objectives, of which less is better. A run stands on the front when no other equals or beats it
/// in all objectives and beats it in one.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& values);

}  // namespace pipewright
