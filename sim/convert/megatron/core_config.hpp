// The parts of an experiment as fields of Megatron-Core's configurations, which Megatron Bridge and
// NeMo 2 write as documents. The inverse of document.cpp.
#pragma once

#include "convert/job/model_constants.hpp"

namespace pipewright::megatron {

/// Fields by the configuration that they belong to. What an experiment says nothing about is not
/// there.
struct CoreConfig {
  config::Value model;       ///< TransformerConfig without the degrees
  config::Value parallel;    ///< ModelParallelConfig
  config::Value batch;       ///< sizes of the batch, and how long the training is
  config::Value precision;   ///< bf16 or fp16, and formats of 8 and 4 bits
  config::Value ddp;         ///< DistributedDataParallelConfig
  config::Value optimizer;   ///< OptimizerConfig
  config::Value overlap;     ///< what hides between ranks of a replica
  config::Value groups;      ///< where ranks stand; null for the usual places
  config::Value checkpoint;  ///< its format, where the sharding asks for one; else null
  std::string activation;    ///< as activation.hpp has it
};

/// Returns what the arguments of Megatron-LM say, but for sequence and vocabulary, which frameworks
/// say in places of their own.
CoreConfig core_config(const Experiment& experiment);

/// Tells whether a field of Megatron-Core says the constant: the activation too, for which
/// Megatron-LM has arguments of some only.
bool core_says_constant(const Experiment& experiment, const ModelConstant& constant);

/// Returns a number format as both frameworks write it: {_target_: torch.bfloat16, _call_: false}.
config::Value torch_type(const config::Value& precision);

}  // namespace pipewright::megatron
