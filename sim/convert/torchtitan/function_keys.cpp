// After torchtitan/trainer.py, config/configs.py and components/ (February to August 2026).
#include "convert/torchtitan/function_keys.hpp"

#include <vector>

#include "convert/torchtitan/keys.hpp"

namespace pipewright::torchtitan {
namespace {

using job::Effect;

constexpr job::Key own_keys[] = {
    {"tokenizer*", Effect::nothing, "data"},
    {"dataloader*", Effect::nothing, "data"},
    {"loss.loss_fn*", Effect::nothing, "losses"},
    {"loss.global_vocab_size", Effect::nothing, "losses"},
    {"loss.num_chunks", Effect::slight, "the head is taken to be one product"},
    {"override.imports", Effect::slight, "kernels are taken to be torchtitan's"},
    {"override", Effect::nothing, "kernels are torchtitan's"},
    {"model.attn_backend", Effect::slight, "attention is taken to be causal over whole sequences",
     "sdpa"},
    {"model.tp_gemm_backend", Effect::slight, "products are taken to wait for tensor collectives",
     "default"},
    {"model.non_blocking_capacity_factor", Effect::slight, "experts are taken to be balanced"},
    {"model.num_mtp_layers", Effect::refused, "modules that predict further tokens are not said",
     "0"},
    {"model.fuse_qkv", Effect::slight, "a layer is taken to have one product for all of attention"},
    {"parallelism.spmd_backend", Effect::nothing, "how collectives are found"},
    {"parallelism.enable_fsdp_symm_mem", Effect::slight,
     "collectives of shards are taken to be those of the network", "false"},
    {"parallelism.context_parallel_ptrr_mask_key", Effect::nothing, "of another balance"},
    {"quantize.linear.float8.model_compile_enabled", Effect::nothing, "compile.enable says it"},
    {"quantize.linear.mx.model_compile_enabled", Effect::nothing, "compile.enable says it"},
    {"debug.batch_invariant", Effect::refused, "kernels of another order are not modelled",
     "false"},
    {"debug.detect_anomaly", Effect::slight, "a check of every gradient is not simulated",
     "false"}};

/// What classes of optimizers and of recomputation are made with.
constexpr job::Key of_classes[] = {
    {"optimizer.*", Effect::nothing, "learning rates"},
    {"activation_checkpoint.*", Effect::nothing, "how recomputation is checked"}};

}  // namespace

std::span<const job::Key> function_keys() {
  static const std::vector<job::Key> all = [] {
    std::vector<job::Key> keys(std::begin(own_keys), std::end(own_keys));
    keys.insert(keys.end(), other_keys().begin(), other_keys().end());
    keys.insert(keys.end(), std::begin(of_classes), std::end(of_classes));
    return keys;
  }();
  return all;
}

}  // namespace pipewright::torchtitan
