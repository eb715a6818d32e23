// Jobs that are written: what an experiment says beyond a job stands in comments of the file, and
// what a framework cannot say is found by reading what is going to be written.
#pragma once

#include <functional>
#include <span>

#include "config/catalogue.hpp"
#include "convert/job/job.hpp"
#include "convert/job/model_constants.hpp"
#include "experiment/experiment.hpp"
#include "machine/run_options.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright::job {

/// How a framework's jobs are written and read.
struct Writer {
  std::string_view format;  ///< as the command line has it
  std::string_view file;    ///< a name for messages
  std::function<std::string(const Experiment& experiment, const config::Value& along)> write;
  Import (*read)(const Source& source) = nullptr;
  /// Returns what a job takes from outside its files, as --define has it.
  std::map<std::string, std::string> (*outside)(const Experiment& experiment,
                                                const config::Value& along) = nullptr;
  bool model_outside = false;  ///< its files do not say the model
  /// Tells whether a job says a constant of its model; null: none.
  bool (*says)(const Experiment& experiment, const ModelConstant& constant) = nullptr;
  /// Returns half a line: how the job is started; empty where it says that itself.
  std::string (*start)(const Experiment& experiment) = nullptr;
  /// Returns a line each: what a user is to know before it is started.
  std::vector<std::string> (*warnings)(const Experiment& experiment) = nullptr;
  std::string_view yours{};  ///< half a line: what a user adds, and what holds where nobody does
  config::Value along{};     ///< what a job of this format said beside its experiment
  /// Where numbers of steps stand in it (step_counts.hpp).
  std::span<const std::string_view> steps{};
  /// Returns what of it fits the experiment; null: all.
  config::Value (*fitting)(const config::Value& along, const Experiment& experiment) = nullptr;
  /// Returns less of what goes along, where all of it cannot be written; null: nothing.
  config::Value (*less)(const config::Value& along) = nullptr;
};

/// Returns how many devices a job has, as --define has it.
std::map<std::string, std::string> devices_outside(const Experiment& experiment,
                                                   const config::Value& along);

/// What a framework says otherwise than an experiment.
struct SaidOtherwise {
  std::string path;
  std::string line;  ///< what was wanted, and in brackets what is read
  Misfit error;      ///< the same as a refusal
};

/// Returns the job of `experiment` with its surroundings as comments at the head: reading it gives
/// the same experiment. What the framework says otherwise is added to `left_out`; throws the first
/// of it where that is null, and InputError for what cannot be written at all.
std::string write_job(const Experiment& experiment, const config::Catalogue& catalogue,
                      const RunOptions& options, const Writer& writer,
                      std::vector<SaidOtherwise>* left_out = nullptr);

/// Returns the constants of the model that a job should say and does not.
std::vector<std::string> unsaid_constants(const Experiment& experiment, const Writer& writer);

/// Tells whether the model rotates positions and does not say by which base.
bool leaves_base_open(const Experiment& experiment);

/// Returns `job` with `head` before it; a script of Bash begins with its first line all the same.
std::string with_head(const std::string& head, const std::string& job);

/// Lays what comments of `text` say over `experiment`. Null takes a key away.
void read_surroundings(std::string_view text, const std::string& file, config::Value& experiment);

/// Tells whether comments of `text` say the cluster.
bool says_cluster(std::string_view text, const std::string& file);

/// Returns what comments of `text` define as --define does, by name.
std::map<std::string, std::string> written_definitions(std::string_view text,
                                                       const std::string& file);

/// Returns the model that comments of `text` say as --model does; nothing where they say none.
std::optional<config::Value> written_model(std::string_view text, const std::string& file);

}  // namespace pipewright::job
