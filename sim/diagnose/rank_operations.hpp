// The profile of one rank as operations of passes, so that ranks can be held against each
// other.
//
// Kernels in the order of their launches are cut where the direction changes and where a message of
// the pipeline comes between: each part is a pass, the k-th forward and the k-th backward are of
// micro-batch k. A pass lasts from its first kernel's start to its last one's end, tensor
// collectives and gaps within included. What gathers before the first forward are parameters, what
// else is of data ranks are gradients, and what stages sum together is the norm of gradients. A
// send is of the direction of the pass before it, a receive of that of the pass after it. Of
// several messages of one kernel each goes its way by the stage of its peer, where there are more
// than two.
//
// Where the trace says what the host ran of a pipeline, a pass is what one action computes: it
// names chunk and micro-batch, and so do messages. Other kernels than those of actions and updates
// belong to the pass that is open, if they are of its direction.
//
// What a pass waits for gathers and sums of data ranks is told apart: a kernel that starts as such
// a collective ends waited for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "diagnose/device_work.hpp"
#include "diagnose/exchange_ways.hpp"
#include "diagnose/grid_place.hpp"
#include "interop/operation_table.hpp"

namespace pipewright::diagnose {

/// What a rank did.
struct RankOperations {
  std::vector<TracedOperation> operations;
  std::vector<ExpertExchange> exchanges;  ///< in order
  std::map<int32_t, Time> step_lengths;   ///< by the numbers of steps; empty without marks
  bool knows_hosts = false;               ///< whether the profile has launches
  /// The stages of the model that the rank holds, in order, where its actions say that: a chunk is
  /// a place among them.
  std::vector<int32_t> model_stages;
};

/// The operations and exchanges of all steps. Times count as those of the profile.
RankOperations operations_of(const RankProfile& profile, const DeviceWork& work,
                             const GridPlace& place);

}  // namespace pipewright::diagnose
