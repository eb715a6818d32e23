// The parts of an experiment as arguments of Megatron-LM. The inverse of translation.cpp.
#pragma once

#include "convert/job/model_constants.hpp"
#include "convert/megatron/argument_lines.hpp"
#include "experiment/experiment.hpp"

namespace pipewright::megatron {

/// The only --ckpt-format with which Megatron-LM (megatron/training/arguments.py, validate_args)
/// and Megatron Bridge (training/config.py) start a training with Megatron-FSDP.
inline constexpr std::string_view fsdp_checkpoints = "fsdp_dtensor";

void write_model(const Experiment& e, ArgumentLines& out);
/// Writes the experts and how their tokens reach them; nothing without experts.
void write_experts(const Experiment& e, ArgumentLines& out);
/// Writes constants of the model that no time changes with.
void write_constants(const Experiment& e, ArgumentLines& out);
/// Returns those that only Megatron-LM's own arguments say, as the model has them.
ArgumentLines model_arguments(const Experiment& e);
/// Writes them.
void write_own_constants(const Experiment& e, ArgumentLines& out);
/// Adds the argument that says `constant`; returns false where none does.
bool write_constant(const Experiment& e, const ModelConstant& constant, ArgumentLines& out);
/// Tells whether a field of Megatron-Core says it.
bool says_constant(const Experiment& e, const ModelConstant& constant);
/// Tells whether an argument says it.
bool says_own_constant(const Experiment& e, const ModelConstant& constant);
/// Writes degrees, sharding and what a stage holds.
void write_parallel(const Experiment& e, ArgumentLines& out);
void write_precision(const Experiment& e, ArgumentLines& out);
void write_recompute(const Experiment& e, ArgumentLines& out);
/// Writes what is CUDA graphs.
void write_launches(const Experiment& e, ArgumentLines& out);
/// Writes which messages go beside the computation.
void write_overlap(const Experiment& e, ArgumentLines& out);

/// Writes sizes of the batch and how long the training is.
void write_batch(const Experiment& e, ArgumentLines& out);

/// Returns the arguments of Megatron-LM for the experiment.
ArgumentLines all_arguments(const Experiment& experiment);

/// Returns the tokens of a sequence: the batch's, or else the model's.
int64_t sequence_of(const Experiment& e);

}  // namespace pipewright::megatron
