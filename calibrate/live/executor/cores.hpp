// Pins threads to cores.
#pragma once

#include <vector>

namespace pipewright::live {

/// Numbers of the cores that the calling thread may use.
std::vector<int> allowed_cores();

/// The calling thread runs on that one from now on. Woken up beside others it may otherwise be
/// queued behind one that computes, for milliseconds, while another core is idle.
void stay_on(int core);

}  // namespace pipewright::live
