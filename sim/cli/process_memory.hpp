// How the process asks the system for memory.
#pragma once

namespace pipewright::cli {

/// Prepares for arrays of many MiB that come and go. Must be called before much is allocated.
void prepare_memory();

}  // namespace pipewright::cli
