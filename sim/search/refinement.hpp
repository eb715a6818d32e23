// What a plan gains by changing one thing at a time: settings that no closed form knows.
#pragma once

#include "search/problem.hpp"

namespace pipewright::search {

/// All steps together make a plan at most this many times as fast. Assumed, not proved.
inline constexpr double most_gain = 1.5;

/// Tells whether overlapped tensor collectives meet gradients that ZeRO 2 cuts, and nobody pinned
/// these. They are then summed once a step, and the simulation is too fast
/// (plan/data_parallel.cpp).
bool is_too_fast(const Problem& problem, const Candidate& candidate);

/// Returns the plans one step from `candidate`: overlapped tensor collectives, state or activations
/// in the host's memory, another micro-batch, number of chunks, or sharing among replicas. All keep
/// what is pinned.
std::vector<Candidate> steps_from(const Problem& problem, const Candidate& candidate);

/// Returns plans whose tensor collectives are overlapped, which no closed form knows: of each way
/// to cut the work the first few of `ordered`, whose estimates ascend. It is empty where that is
/// pinned.
std::vector<Candidate> overlapped(const Problem& problem, const std::vector<Estimated>& ordered);

/// Returns `found`, improved step by step until no step is better, as simulated.
Judged refined(const Problem& problem, Judged found);

}  // namespace pipewright::search
