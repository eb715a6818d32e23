// What DeepSpeed's configuration says of number formats, ZeRO, offloading and recomputation.
#pragma once

#include "convert/deepspeed/documents.hpp"

namespace pipewright::deepspeed {

/// How the devices of a job share the work.
struct Degrees {
  int64_t tensor = 1, pipeline = 1, context = 1, data = 1;
  int64_t world = 1, per_node = 8;
};

/// What transformers' arguments say of kernels.
struct ProgramKernels {
  bool liger = false;
  bool compiled = false;
  bool eager_attention = false;  ///< of operators
};
/// Sets the kernels of an experiment by them. Liger's loss makes the logits by pieces, where they
/// lie on one device.
void set_kernels(const ProgramKernels& kernels, int64_t tensor, config::Value& experiment);

/// Returns what a name of DeepSpeed's configuration, or of transformers' --optim, is here; empty
/// where it cannot be said.
std::string_view optimizer_named(std::string_view name);

/// Sets precision, gradients and the optimizer of the experiment. `unsaid` is the program's
/// optimizer where nothing says one; without it, AdamW is assumed.
void read_numbers(Documents& documents, job::Import& import, std::string_view unsaid = {});
/// Sets what is run again.
void read_recompute(Documents& documents, const Degrees& degrees, job::Import& import);
/// Sets what ZeRO cuts and offloads, and how gradients are reduced. What is run again is set
/// before.
void read_zero(Documents& documents, const Degrees& degrees, job::Import& import);

}  // namespace pipewright::deepspeed
