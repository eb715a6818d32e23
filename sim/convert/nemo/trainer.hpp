// What NeMo's two generations say alike: the devices of Lightning's trainer.
#pragma once

#include "convert/job/launch.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::nemo {

/// Returns the devices that --define NGPU=N says, else what trainer.num_nodes and trainer.devices
/// say. Throws InputError for what is no number of them.
job::Devices trainer_devices(job::Settings& settings, const job::Source& source);

/// Returns the steps (max_steps) of a trainer; 0 where it says none, or where there is none.
int64_t steps_of(const config::Value* trainer);

}  // namespace pipewright::nemo
