// The arguments of a program that trains with DeepSpeed, as a document: they are looked up by name
// as the keys of its configuration are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/value.hpp"
#include "convert/job/launch.hpp"

namespace pipewright::deepspeed {

struct Arguments {
  config::Value map;  ///< values by name, with '_' for '-'; true where an argument has no value
  std::map<std::string, job::Word, std::less<>> unknown;  ///< whose values a script does not say
};

/// Reads `--name value...` and `--name=value`: the last one of a name holds.
Arguments read_arguments(const std::vector<job::Word>& words);

}  // namespace pipewright::deepspeed
