// framework: names, several of which may be of one program or of releases that are alike.
//
//   nemo, megatron-bridge  run Megatron-Core (NVIDIA/NeMo, nemo/lightning/megatron_parallel.py;
//                          NVIDIA-NeMo/Megatron-Bridge, src/megatron/bridge/training)
//   megatron-fsdp          Megatron-Core's layers. Weights and gradients lie in flat buffers that
//                          collectives read and write, so that nothing is copied beside them
//                          (NVIDIA/Megatron-LM d98e8a64dd, megatron_fsdp.md and
//                          core/distributed/fsdp/src/docs/runtime_schedule.md)
//   ddp, fsdp1             PyTorch alone: zero tells which of them a job is
//   deepspeed-0.3          has the ZeRO 3 of 0.4 (deepspeed/runtime/zero/stage3.py, until 4912e0ad7
//                          of January 2022)
//   deepspeed-0.6 to 0.16  alike in what is modelled: bf16_optimizer.py adds passes' gradients in
//                          fp32 from v0.6.2 to v0.16.4; immediate_grad_update, of v0.13.3, is off
//   maxtext, paxml         JAX
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "experiment/experiment.hpp"
#include "experiment/readers.hpp"

namespace pipewright {
namespace {

constexpr size_t own_names = static_cast<size_t>(Framework::megatron_2021) + 1;

struct OtherName {
  std::string_view name;
  Framework meant;
};
constexpr OtherName other_names[] = {{"nemo", Framework::megatron},
                                     {"megatron-bridge", Framework::megatron},
                                     {"megatron-fsdp", Framework::megatron},
                                     {"ddp", Framework::torch},
                                     {"fsdp1", Framework::torch},
                                     {"maxtext", Framework::jax},
                                     {"paxml", Framework::jax},
                                     {"deepspeed-0.3", Framework::deepspeed_0_4}};

/// Tells whether a name is deepspeed-0.6 to deepspeed-0.16.
bool is_later_deepspeed(std::string_view name) {
  constexpr std::string_view later[] = {"6",  "7",  "8",  "9",  "10", "11",
                                        "12", "13", "14", "15", "16"};
  constexpr std::string_view release = "deepspeed-0.";
  return name.starts_with(release) &&
         std::ranges::find(later, name.substr(release.size())) != std::end(later);
}

}  // namespace

Framework read_framework(const config::Value& value) {
  if (is_later_deepspeed(value.text)) return Framework::deepspeed;
  const size_t choice = config::as_choice(value, choices::framework);
  if (choice < own_names) return static_cast<Framework>(choice);
  return std::ranges::find(other_names, value.text, &OtherName::name)->meant;
}

void require_stage_of_framework(const Experiment& e) {
  const config::Value* named = e.document.find("framework");
  if (!named) return;
  if (named->text == "ddp" && e.parallel.zero > 1)
    named->misfit("framework: ddp keeps weights and gradients whole: zero must be 0 or 1");
  const bool is_fsdp = named->text == "fsdp1" || named->text == "fsdp2";
  if (is_fsdp && e.parallel.zero == 1)
    named->misfit(
        fmt::format("framework: {} cuts more than the optimizer's state: zero must be 2 "
                    "or 3, or 0 where nothing is cut",
                    named->text));
}

}  // namespace pipewright
