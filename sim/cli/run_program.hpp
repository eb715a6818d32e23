// The frame of both programs: standard streams that can be relied on, and an exit status whatever
// happens.
#pragma once

#include <functional>

namespace pipewright::cli {

/// Returns the exit status: what `program` returns, 2 for InputError, and 1 for any other failure,
/// also where not all of the output could be written. Says a failure in one line.
int run_program(const std::function<int()>& program);

}  // namespace pipewright::cli
