// A swarm's run as a program with its timeline, for accounts, traces and pictures.
//
// Every peer is a rank. Passes and updates of weights are ops of its lane, messages are transfers,
// and the sums of gradients are collectives. A message follows the pass that made it and comes
// before the pass that it is for, unless that was given up with its peer.
#pragma once

#include "engine/swarm.hpp"
#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

struct SwarmTimeline {
  Program program;
  Timeline timeline;
};

/// `peers` have the devices 0, 1, ...; `run` is of a model in so many stages.
SwarmTimeline swarm_timeline(const SwarmRun& run, int peers, int stages);

}  // namespace pipewright
