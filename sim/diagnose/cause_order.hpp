// The order in which causes are told.
#pragma once

#include <cstdint>
#include <vector>

#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// Whether something is held against others.
enum class Peers : uint8_t { none, some };

/// Puts the largest first. Behind them stands what all `peers` have, the bubble last: these are
/// there where nothing is slow, too. What recovers less than a twentieth of that stands among it.
void put_in_order(std::vector<Cause>& causes, Peers peers);

}  // namespace pipewright::diagnose
