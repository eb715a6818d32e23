// The gradient exchange of data-parallel training as a traffic experiment: all that happens from
// the beginning of one backward pass to the end of the next forward pass.
//
// Every worker computes the backward pass layer by layer; a layer's gradient leaves once it is
// complete; the next forward pass begins a layer once that layer's new weights are there. Workers
// start together, so the makespan is the period of an iteration in the steady state.
//   parameter-server   the gradient in equal parts, one to each of S servers; a part of the sum
//                      returns to all workers once it has come from all
//   ring               2 (n - 1) steps of 1 / n of the gradient from each worker to the next, each
//                      step after the one before (reduce-scatter, then all-gather)
// priority: layer gives front layers, which the next forward pass waits for first, the higher
// priorities, in equal groups where there are more layers than priorities. send: 25% sends that
// share of the bytes, for compressed gradients; what (de)compression takes is not modelled.
// Not modelled: summing and updating on a server, copies between device and host.
// Sources: Li et al., OSDI 2014 (parameter server); Hashemi et al., MLSys 2019, and Peng et al.,
// SOSP 2019 (priority by layer); Wang et al., arXiv 2008.08445 (DLCP).
#pragma once

#include "machine/machine.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {

/// `value`: {exchange: parameter-server | ring, model, ...}. Throws InputError.
std::vector<GivenFlow> exchange_flows(const Experiment& experiment, const config::Value& value,
                                      const Machine& machine, const config::Catalogue& catalogue);

}  // namespace pipewright
