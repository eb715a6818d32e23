// The transformer of a Megatron-LM command line.
#pragma once

#include "convert/megatron/degrees.hpp"

namespace pipewright::megatron {

/// What program the job starts; `list` where it is a list of arguments, or a program that is not
/// Megatron-LM's own.
enum class Program { list, gpt, hybrid, bert, t5 };

/// Returns `model.transformer` as an experiment has it. Notes what the command line leaves open.
config::Value read_model(Flags& flags, const Degrees& degrees, Program program);

}  // namespace pipewright::megatron
