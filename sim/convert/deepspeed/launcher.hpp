// The command that launches a DeepSpeed job, found in a script.
#pragma once

#include <optional>
#include <string>

#include "convert/deepspeed/arguments.hpp"
#include "convert/job/job.hpp"

namespace pipewright::deepspeed {

struct Launched {
  Arguments arguments;
  job::Launch launch;  ///< the command itself
  job::World world;    ///< no devices where nothing says them
  Where where;
  /// The configuration that the launch names: its text, where it can be read.
  std::optional<config::Value> named;
  std::optional<std::string> config;
  bool is_written = false;  ///< by the script
  /// What is not known of the text that the script writes, or of the name of a file that is not
  /// there.
  std::shared_ptr<const shell::Unknown> unknown;
};

/// Follows the script, or the one line, and returns the first training that it starts by DeepSpeed,
/// else the first program. Notes in `import` what the text leaves open.
Launched read_launch(std::string_view text, const std::string& file, const job::Source& source,
                     job::Import& import);

}  // namespace pipewright::deepspeed
