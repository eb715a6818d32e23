// Reductions of gradients beside backward passes.
//
// A bucket that is reduced while its rank still computes costs what sticks out of the last pass:
// the kernel begins there. One that ends before on any rank of the stage is hidden: who waits in it
// waits for the passes of that rank. So of each stage the last are left, as many on each rank.
#pragma once

#include <vector>

#include "interop/operation_table.hpp"

namespace pipewright::diagnose {

/// Takes what passes hide out of the reductions of all steps. Operations keep their order.
void leave_exposed(std::vector<TracedOperation>& operations);

}  // namespace pipewright::diagnose
