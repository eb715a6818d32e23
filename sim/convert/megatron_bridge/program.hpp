// A program that trains by Megatron Bridge, such as cfg = llama3_8b_pretrain_config();
// cfg.train...; pretrain(cfg, forward_step).
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::megatron_bridge {

/// Throws InputError for what is no such program, and for what matters and cannot be said.
job::Import import_program(const job::Source& source);

}  // namespace pipewright::megatron_bridge
