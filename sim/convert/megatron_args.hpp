// Megatron-LM's arguments as an experiment: what decides time and memory is translated, with
// Megatron's own defaults where an argument is missing (megatron/training/arguments.py), what would
// decide them and cannot be said is named, the rest is listed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

struct MegatronImport {
  config::Value experiment;
  std::vector<std::string> assumed;        ///< what the arguments do not say
  std::vector<std::string> not_simulated;  ///< arguments that matter and have no counterpart
  std::vector<std::string> unused;         ///< arguments that do not matter
};

/// `text` is a launch script or a list of arguments. Throws InputError, at its place in `file`, for
/// an argument whose value is missing or cannot be, and where no argument is Megatron's.
MegatronImport import_megatron(std::string_view text, const std::string& file);

/// The experiment as YAML, what it leaves out as comments before it.
std::string to_yaml(const MegatronImport& import);

}  // namespace pipewright
