// Training live over processes: every rank is one, and holds its own stages alone.
#pragma once

#include "calibrate/live/real_replay.hpp"
#include "calibrate/transport/session.hpp"

namespace pipewright::live {

/// All ranks come here. The first rank of each host, or each that has a GPU, measures every op by
/// itself, all predict from that, from the messages' times in `simulated` and from the hosts'
/// cores, and run `repetitions` times; the first one holds the weights against training on one
/// device. Throws Failure as LiveDevice::run does.
Replay replay_real_over(RealJob job, const Run& simulated, transport::Session& session,
                        LiveDevice& device, const OpSource& source, int repetitions);

}  // namespace pipewright::live
