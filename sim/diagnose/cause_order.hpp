// The order in which causes are told: by what each recovers in a run with just that cured.
//
// What is slower than its `peers` comes first. What they all have comes after it, for it is there
// where nothing is slow, and no more than that can be gained: communication that takes no time, the
// bubble.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/measured_job.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// Whether something is held against others.
enum class Peers : uint8_t { none, some };

/// Ranks are peers, and so are those of a tensor or context group of which one is slow.
Peers peers_in(const MeasuredJob& job);

bool comes_before(const Cause& one, const Cause& other, Peers peers);
void put_in_order(std::vector<Cause>& causes, Peers peers);

}  // namespace pipewright::diagnose
