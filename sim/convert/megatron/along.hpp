// Arguments of a launch that decide nothing here and that a script which is written has again:
// learning rates, data, the tokenizer, logs.
#pragma once

#include <map>

#include "convert/megatron/argument_lines.hpp"
#include "convert/megatron/flags.hpp"
#include "experiment/experiment.hpp"

namespace pipewright::megatron {

/// How what goes along is called in the comments of an experiment.
inline constexpr std::string_view along_format = "megatron-args";

/// Returns the arguments by name that go along, with their values as they are written; true for a
/// flag. Those that do not, as only the script makes their values, or as the newest release lacks
/// them, are a list at `left`.
config::Value arguments_along(const Flags& flags);

/// Tells whether an entry stands where the experiment says it, or is none of the arguments.
bool is_ours(const std::string& key);

/// Returns the values of an argument that goes along as Bash has to have them; empty for a flag.
std::string in_script(const config::Value& value);

/// Returns `written` with what goes along and it does not say. The unit of the training's length is
/// the one that goes along.
ArgumentLines with_along(const ArgumentLines& written, const config::Value& along,
                         int64_t global_batch);

/// How long a training was that became another one: its argument, the number of before, and
/// today's.
struct TrainingLength {
  std::string_view argument{};
  int64_t before = 0, now = 0;
};

/// Returns the lengths of the job that what goes along came of, and of the one that is written; of
/// 0 where either does not say it.
TrainingLength length_of(const ArgumentLines& written, const config::Value& along);

/// Returns `batch`, which has train_iters or train_samples, with the one of both that what goes
/// along says below `section`; an empty section is the whole of it.
config::Value in_unit_of(const config::Value& along, std::string_view section,
                         const config::Value& batch);

/// Gives `model` the dispatcher that goes along, where it has DeepEP. A rack has its own.
void keep_dispatcher(const config::Value* along, config::Value& model);

/// Returns how many tokens there are, as --define has it, where a tokenizer goes along.
std::map<std::string, std::string> tokens_outside(const Experiment& experiment,
                                                  const config::Value& along);

/// Returns what goes along without its tokenizer; nothing of what has none.
config::Value less_along(const config::Value& along);

}  // namespace pipewright::megatron
