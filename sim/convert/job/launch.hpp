// The command by which a script starts a training: a launcher, a program and its arguments.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convert/job/job.hpp"
#include "interop/shell/script.hpp"

namespace pipewright::job {

/// A word of a command line.
struct Word {
  std::string text;  ///< what is not known stands in it as it was written
  Where where;
  std::shared_ptr<const shell::Unknown> unknown;  ///< the first thing that is not known
  std::string said{};  ///< the key of a document that stands for this argument; empty in a script
};

/// The devices that a launcher starts processes on; nothing where it does not say.
struct Devices {
  std::optional<int64_t> nodes, per_node, all;
  std::string nodes_variable{};  ///< of the script, which says how many nodes; may be empty
  bool one_process =
      false;  ///< the launcher starts one process, and no scheduler is asked for more
};

/// All devices of a job, and those of a node.
struct World {
  int64_t devices = 0;  ///< 0 where nobody says
  int64_t per_node = 8;
};

/// Returns the devices that a launcher starts processes on.
World world_of(const Devices& devices);

struct Launch {
  std::vector<Word> launcher, arguments;
  std::string program;                      ///< pretrain_gpt.py; empty for a list of arguments
  std::optional<Word> visible{};            ///< CUDA_VISIBLE_DEVICES, where the script says it
  std::map<std::string, Word> variables{};  ///< of the environment, that the script sets
  std::optional<std::string> queued{};      ///< the #SBATCH lines of the job that a script queues
  Where where;
  /// Returns an argument as the user would write it; --name where it is null.
  std::string (*spelled)(const std::string& name) = nullptr;
};

/// Returns the commands of `outcome` that start a Python program or are arguments, in order.
std::vector<Launch> launches(const shell::Outcome& outcome);

/// Returns what the launcher and the script's #SBATCH lines say. Throws InputError for a number of
/// nodes or processes that is not known.
Devices devices_of(const Launch& launch, const shell::Outcome& outcome, std::string_view script);

/// Returns the options of a script's #SBATCH lines, which stand before its first command, as the
/// variables that SLURM makes of them. A value that is not known stays as it is written.
std::map<std::string, std::string> slurm_variables(std::string_view script);

/// Fails because of `word`, whose value is not known; `what` is what the value is for.
[[noreturn]] void fail_unknown(const Word& word, const std::string& what);

}  // namespace pipewright::job
