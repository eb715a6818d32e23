// The plans that planners choose from.
#pragma once

#include "search/problem.hpp"

namespace pipewright::search {

/// Ascending.
std::vector<int> divisors(int n);

/// What Megatron-LM's rules of thumb choose from: plans that fill all devices.
std::vector<Candidate> megatron_space(const Problem& problem);

/// All of planners/exhaustive.cpp.
std::vector<Candidate> whole_space(const Problem& problem);

/// Plain pipelines without tensor parallelism: p stages and as many replicas as there is room for,
/// with these schedules and micro-batches of powers of two.
std::vector<Candidate> pipelines(const Problem& problem,
                                 const std::vector<config::Value>& schedules,
                                 const std::vector<std::string>& recompute);

config::Value schedule_named(const std::string& yaml);

}  // namespace pipewright::search
