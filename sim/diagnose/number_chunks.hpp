// Which chunk and micro-batch a pass is of, where its profiler does not say.
//
// Kernels show the direction of a pass alone. A rank that holds several chunks of the model runs
// forwards and backwards in an order that no schedule of one chunk has: another number of forwards
// before the first backward. Schedules with `virtual` are built for every number of chunks that
// divides the forwards of a step. The one that has the directions of all ranks, pass by pass, says
// what each pass is.
#pragma once

#include <vector>

#include "interop/operation_table.hpp"

namespace pipewright::diagnose {

/// Numbers chunks and micro-batches anew where a schedule of several chunks has the directions of
/// every rank and none of one chunk has. `stages`: pipeline ranks, of which the trace may lack
/// some. Where operations say their chunks nothing is changed. Returns the chunks of a rank; 1:
/// nothing was changed.
int number_chunks(std::vector<TracedOperation>& operations, int stages);

}  // namespace pipewright::diagnose
