// Runs the checks of `reproduce` that need real numbers, by the names that study/paper.hpp lists.
//
//   adjoint             <F x, y> against <x, F* y> for every movement of data, made up numbers
//   spatial-split       1 less the largest relative distance of outputs, input and weight gradients
//                       of LeNet-5's feature layers, split over workers, from those of one
//   pipelined-backprop  mean loss over the last quarter of training with batches of one: SGD with
//                       momentum in order, beside the pipeline, run live, whose forward looks ahead
#pragma once

#include <string>
#include <vector>

namespace pipewright::live {

/// A case of a claim, as ClaimCase: what comes out, and what it is held against.
struct LiveCase {
  std::string name, system, baseline;
  double system_value = 0, baseline_value = 0;
};

/// Throws InputError for a check of another name.
std::vector<LiveCase> live_claim(const std::string& check);

}  // namespace pipewright::live
