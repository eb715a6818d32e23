// Schedules that a user's own program writes.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// The schedule of `spec`, a map {command: TEXT, option: ...}. The command gets the shape and the
/// options as one line of JSON on its standard input:
///   {"iterations":1,"micro_batches":8,"options":{...},"ranks":4,"sequence":2048}
/// and writes one iteration in PyTorch's pipeline CSV (torch_csv.hpp). Throws InputError where
/// `shape.allow_commands` is false, the command fails, takes longer than the option `time_limit`
/// (default 60 s) or writes more than 64 MiB, and for orders that are wrong, with their line and
/// column; Misfit for orders of another shape.
Schedule build_from_command(const Shape& shape, const config::Value& spec);

}  // namespace pipewright::schedule
