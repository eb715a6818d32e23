// A step of an ATOM peer as a program: segments come from the host and compute, and their gradients
// go, each in a lane of its own.
#pragma once

#include <vector>

#include "base/units.hpp"
#include "program/program.hpp"

namespace pipewright::atom {

/// A segment of the model on a peer.
struct Segment {
  Time forward, backward;  ///< of one micro-batch
  Time load, store;        ///< its weights from the host, its gradients to it
  Bytes weights, gradients;
};

struct Peers {
  std::vector<int32_t> devices;  ///< each a peer
  int micro_batches = 1;         ///< of a peer in a step
  Time reduce;                   ///< all gradients over all peers
  Bytes reduced;                 ///< bytes of a peer
  bool beside = true;            ///< the all-reduce runs beside the next step
};

struct TimedProgram {
  Program program;
  std::vector<Time> durations;  ///< by op
};

/// Returns one step of one peer, which stands for all. Two segments have room on the device:
/// while one computes, the next one comes and the gradients of the one before go, and the next one
/// begins when all three have ended. The last segment turns round without leaving; what is alone
/// never leaves. Where the all-reduce runs beside steps, it is that of the step before.
TimedProgram step_of(const std::vector<Segment>& segments, const Peers& peers);

}  // namespace pipewright::atom
