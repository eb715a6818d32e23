// Estimates how far apart the clocks of two ranks are.
//
// A rank asks the first one for its time, often. With d the way there and b the way back,
//   replied - sent = d + ahead,   received - replied = b - ahead,
// so that ahead = replied - (sent + received) / 2 + (b - d) / 2: the round with the shortest trip
// waited least on either way, and half of its trip bounds the error (Cristian, Distributed
// Computing 3, 1989). Clocks are taken to drift too little to matter within a run.
#pragma once

#include <span>

#include "calibrate/transport/session.hpp"

namespace pipewright::transport {

/// Nanoseconds: `sent` and `received` by the one that asks, `replied` by the other.
struct Round {
  int64_t sent = 0, replied = 0, received = 0;
};

struct Offset {
  int64_t ahead = 0;  ///< ns, of the other clock
  int64_t trip = 0;   ///< ns, there and back
};

/// Estimates by the shortest trip; zeros without any round.
Offset estimate(std::span<const Round> rounds);

/// Returns the offset of the first rank's steady clock against this rank's. All ranks call it
/// together.
Offset align(Session& session);

}  // namespace pipewright::transport
