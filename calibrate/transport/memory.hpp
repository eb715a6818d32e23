// Ranks as threads of one process, for tests of what processes do.
#pragma once

#include "calibrate/transport/transport.hpp"

namespace pipewright::transport {

/// Transports that reach each other; each may be used by a thread of its own.
std::vector<std::unique_ptr<Transport>> memory_transports(int ranks);

}  // namespace pipewright::transport
