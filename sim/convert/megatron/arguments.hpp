// The arguments that Megatron-LM's releases have known, and those of forks: arguments.yaml and
// fork_arguments.yaml, compiled in.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "convert/job/job.hpp"

namespace pipewright::megatron {

/// How many values an argument takes.
enum class Takes { flag, one, some, maybe };

/// What Python makes of a value.
enum class Type { text, integer, real };

using job::Effect;

/// Where an argument that decides nothing goes in a job that is written: along, with the model, or
/// nowhere, as another plan may end with it.
enum class Goes { along, model, plan };

struct Argument {
  std::string_view name;  ///< without "--"
  Takes takes;
  Effect effect;
  std::string_view note;      ///< the key, what it is about, or why it cannot be said
  std::string_view unless;    ///< values of a refused one that change nothing, a line each
  std::string_view from, to;  ///< months of its first and last state, as 2024-05; empty of a fork
  Type type = Type::text;
  std::string_view choices{};  ///< all values that any state takes, a line each; empty for any
  std::string_view ends{};     ///< the last month whose training goes on with it
  Goes goes = Goes::along;
  bool is_field = false;  ///< only documents say it: no parser of a command line takes it
};

/// Ordered by name.
std::span<const Argument> arguments();

/// Returns the argument of that name, or null.
const Argument* find_argument(std::string_view name);

/// Returns the argument that `name` is the beginning of, as Python's argparse completes names; null
/// where there are none or several.
const Argument* complete_argument(std::string_view name);

/// Returns what a value must be where the argument's parser refuses `value`, or nothing.
std::string misfit_of(const Argument& argument, std::string_view value);

/// Tells whether the newest release takes the argument from a command line.
bool is_of_today(const Argument& argument);

/// Tells whether `value` of a refused argument changes nothing.
bool is_harmless(const Argument& argument, std::string_view value);

}  // namespace pipewright::megatron
