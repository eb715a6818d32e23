// The files of a DeepSpeed job, told apart by what is in them: its configuration, the script or the
// line that launches it, and the model's Hugging Face configuration.
#pragma once

#include <optional>

#include "convert/deepspeed/launcher.hpp"

namespace pipewright::deepspeed {

struct Inputs {
  config::Value config;                ///< what ds_config.json says
  Launched launch;                     ///< with no arguments where no launch is given
  std::optional<config::Value> model;  ///< Hugging Face's
};

/// Reads the files. Throws InputError where none of them is a configuration of DeepSpeed, and the
/// launch names none that can be read.
Inputs read_inputs(const job::Source& source, job::Import& import);

}  // namespace pipewright::deepspeed
