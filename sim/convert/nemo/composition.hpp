// A document of Hydra with the parts that its defaults list names, and the words of the command
// line over it.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::nemo {

/// Refuses parts that are packaged with the framework and lie nowhere here.
config::Value compose(const job::Source& source, job::Import& import);

}  // namespace pipewright::nemo
