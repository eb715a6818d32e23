// What NeMo's two generations say alike: the devices of Lightning's trainer.
#pragma once

#include "convert/job/launch.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::nemo {

/// Returns the devices that --define NGPU=N says, else what trainer.num_nodes and trainer.devices
/// say. Throws InputError for what is no number of them.
job::Devices trainer_devices(job::Settings& settings, const job::Source& source);

/// Stretches the rates of `optim`, which goes along with what the job said, to the steps of the
/// trainer of the job that is `written`. Returns the lines of comments that say so; empty where
/// `optim` is null.
std::string with_stretched_rates(config::Value* optim, const config::Value& along,
                                 const config::Value& written);

}  // namespace pipewright::nemo
