// What a launch script runs. Bash is followed as far as its own text decides: variables, arrays,
// conditions, loops, functions, here-documents, scripts that it sources. Nothing is executed. What
// only the machine knows on which the script runs ($(nproc), whether a file is there) stays unknown
// and says so where it is used.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/shell/condition.hpp"
#include "interop/shell/environment.hpp"

namespace pipewright::shell {

using Command = std::vector<Text>;

/// A condition that the script's text does not decide, and what was taken.
struct Decision {
  Place place;
  std::string reason;
  bool taken = false;
};

/// Returns `path` without what leads nowhere: ./a, b/../a and ${PWD}/a are a.
std::string normal_path(const std::string& path);

/// Files that a script wrote, by their normal paths; nothing where it is not known what.
using Files = std::map<std::string, std::optional<Text>>;

/// What a script did.
struct Outcome {
  std::vector<Command> commands;   ///< of other programs, in order
  std::map<size_t, Text> visible;  ///< CUDA_VISIBLE_DEVICES of commands, by their number
  /// Variables that commands alone are given, by their number.
  std::map<size_t, std::map<std::string, Text>> own_variables;
  std::vector<GivenOn> variables;  ///< that each of the commands is given as it starts
  /// Options of the jobs that a scheduler is given, as #SBATCH lines, by the commands that they
  /// run.
  std::map<size_t, std::string> queued;
  std::vector<Decision> decisions;  ///< in order
  Asked asked;                      ///< of its surroundings
  Files written;
  std::map<std::string, Place> missing;  ///< scripts that it sources and that are not there
  /// Scripts that it gives to a shell or a scheduler and that are not there.
  std::map<std::string, Place> not_started;
  std::optional<Place> ended;  ///< where it said exit
  int64_t steps = 0;           ///< commands that were followed
};

/// The surroundings of a script.
struct Surroundings {
  std::map<std::string, std::string> given;   ///< variables; "1" and so on are arguments
  std::map<std::string, std::string> preset;  ///< variables that a scheduler sets
  /// Returns the text of another script, or nothing where there is none.
  std::function<std::optional<std::string>(const std::string& path)> read;
  std::vector<bool> decisions;  ///< for open conditions, in order; false beyond the last
  /// Returns the variables that a scheduler sets for a job with these #SBATCH lines.
  std::function<std::map<std::string, std::string>(std::string_view header)> scheduler{};
};

/// Follows the script `text` of the file `path`. Throws InputError for what is no script and for
/// one that goes on for more than a million steps.
Outcome follow(std::string_view text, const std::string& path, const Surroundings& surroundings);

}  // namespace pipewright::shell
