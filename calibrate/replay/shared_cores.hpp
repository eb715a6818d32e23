// A program whose ranks share the cores of one host.
//
// Assumption: n threads that are busy on c cores each go on at the rate min(1, c / n): the
//   scheduler shares time fairly, in turns that are short against an op.
// What occupies a core: compute, and also the copying of messages and the sums of collectives.
// Limits: caches and the memory bus are shared, too, and not modelled; other programs on the host
//   are not known of.
#pragma once

#include <span>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright::replay {

/// Op o takes `duration[o]` alone on a core. Throws Failure as simulate does.
Timeline simulate_on_cores(const Program& program, std::span<const Time> duration, int cores);

}  // namespace pipewright::replay
