// Measures what the compute of ranks that are processes takes when nothing else runs on its core.
#pragma once

#include "calibrate/live/executor/shared_cores.hpp"
#include "calibrate/live/live_device.hpp"
#include "calibrate/transport/session.hpp"

namespace pipewright::live {

/// Tells where the session's ranks compute with `device`: on their hosts' cores, or each on a GPU
/// of its own. All ranks call it together.
Hosts hosts_of(transport::Session& session, const LiveDevice& device);

/// Alike on all ranks: of compute and steps what the op's own rank measured, the median of its ops
/// of that type; all else takes as long as in `durations`. A host's ranks take turns, alone first,
/// then as many at once as it has cores. All come here; `work` runs this rank's ops.
OpTimes measure_over_processes(const Program& program, DeviceWork& work, LiveDevice& device,
                               transport::Session& session, const Hosts& hosts,
                               std::vector<Time> durations);

}  // namespace pipewright::live
