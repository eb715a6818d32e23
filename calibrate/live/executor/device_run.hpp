// Runs a program over processes of which each has a device: what they communicate goes from device
// to device, and hosts only watch over each other.
#pragma once

#include "calibrate/live/executor/device_share.hpp"
#include "calibrate/live/executor/process_run.hpp"

namespace pipewright::live {

/// Every rank comes here with its share of the same program, what its links carry, and gets the
/// timeline of all, by the devices' own times on the first rank's clock. A transfer starts when
/// both sides are ready for it. Throws Failure on all ranks when something goes wrong behind one of
/// them, when ranks stop hearing of each other or nobody gets on; `keep` as run_over_processes has
/// it, of this rank's ops alone.
Timeline run_on_devices(const Program& program, const DeviceShare& share, DeviceWork& work,
                        kernels::Streams& streams, DevicePayloads& payloads,
                        transport::DeviceLinks& links, transport::Session& session,
                        const KeepTimeline& keep = {});

}  // namespace pipewright::live
