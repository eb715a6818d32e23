// The arguments of Megatron-LM as a YAML file, as its --yaml-cfg takes them.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::megatron {

job::Import import_yaml(const job::Source& source);

}  // namespace pipewright::megatron
