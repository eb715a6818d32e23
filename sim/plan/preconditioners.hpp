// Shampoo and SOAP: optimizers that keep products of the gradients of a matrix.
#pragma once

#include <span>
#include <vector>

#include "experiment/experiment.hpp"
#include "plan/memory.hpp"

namespace pipewright {

/// Returns what the experiment says of products of gradients, or what the optimizer's own code
/// takes. Throws Misfit where another optimizer has none.
PreconditionerShape preconditioner_shape(const Experiment& experiment);

/// Returns the bytes of the products of gradients that one device keeps of a stage, and of what is
/// made of them: inverse roots, or bases.
double preconditioner_bytes(std::span<const Layer> stage, const StateOptions& options);

/// Returns what a step of one device computes with them, without what the update itself reads and
/// writes. What is made anew every so many steps has its part in each.
std::vector<Work> preconditioning(std::span<const Layer> stage, const StateOptions& options);

}  // namespace pipewright
