// After transformers' TrainingArguments, trl's SFTConfig and ModelConfig, LLaMA-Factory's and
// ms-swift's arguments (July 2026), and programs that accelerate's and peft's examples have.
#include "convert/accelerate/program_arguments.hpp"

#include <algorithm>
#include <iterator>

#include "convert/deepspeed/keys.hpp"
#include "interop/words.hpp"

namespace pipewright::accelerate {
namespace {

struct Name {
  std::string_view written, read;
};
constexpr Name read_names[] = {{"per_device_train_batch_size", "per_device_train_batch_size"},
                               {"gradient_accumulation_steps", "gradient_accumulation_steps"},
                               {"optim", "optim"},
                               {"use_liger_kernel", "use_liger_kernel"},
                               {"use_liger", "use_liger_kernel"},
                               {"enable_liger_kernel", "use_liger_kernel"},
                               {"torch_compile", "torch_compile"},
                               {"attn_implementation", "attn_implementation"},
                               {"max_steps", "max_steps"},
                               {"max_train_steps", "max_steps"},
                               {"gradient_checkpointing", "gradient_checkpointing"},
                               {"use_gradient_checkpointing", "gradient_checkpointing"},
                               {"max_seq_length", "max_seq_length"},
                               {"max_seq_len", "max_seq_length"},
                               {"seq_length", "max_seq_length"},
                               {"seq_len", "max_seq_length"},
                               {"max_length", "max_seq_length"},
                               {"model_max_length", "max_seq_length"},
                               {"block_size", "max_seq_length"},
                               {"cutoff_len", "max_seq_length"}};

/// Degrees by which a program divides its work itself.
constexpr std::string_view own_degrees[] = {"cp_size",
                                            "context_parallel_size",
                                            "sequence_parallel_size",
                                            "sp_size",
                                            "ulysses_size",
                                            "tp_size",
                                            "tensor_parallel_size",
                                            "pp_size",
                                            "ep_size",
                                            "dp_shard_size",
                                            "pipeline_parallel_size"};
/// Arguments of programs that answer (transformers' GenerationConfig).
constexpr std::string_view of_answers[] = {"max_new_tokens", "min_new_tokens"};
constexpr std::string_view own_shardings[] = {"fsdp", "deepspeed", "deepspeed_config"};

template <size_t n>
bool is_one_of(const std::string_view (&list)[n], std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

bool says_no(std::string_view value) {
  return value.empty() || value == "false" || value == "no" || value == "none" || value == "0";
}

bool is_harmless(std::string_view values, std::string_view value) {
  const auto all = interop::split(values, "|", false);
  return std::ranges::find(all, value) != all.end();
}

}  // namespace

std::string_view read_as(std::string_view argument) {
  const auto* found = std::ranges::find(read_names, argument, &Name::written);
  return found == std::end(read_names) ? std::string_view() : found->read;
}

std::string_view refusal_of(std::string_view argument, const std::string& value) {
  const bool says_nothing = says_no(interop::lower_case(value));
  if (is_one_of(own_degrees, argument))
    return says_nothing || value == "1" ? std::string_view()
                                        : "the program divides its work itself: accelerate's "
                                          "configuration is what is read";
  if (is_one_of(own_shardings, argument))
    return says_nothing ? std::string_view()
                        : "the program cuts its state itself: accelerate's configuration is what "
                          "is read";
  if (is_one_of(of_answers, argument)) return "it generates text and trains nothing";
  const job::Key* key = job::find_key(deepspeed::argument_keys(), argument);
  const bool is_refused = key && key->effect == job::Effect::refused;
  return is_refused && !is_harmless(key->unless, value) ? key->note : std::string_view();
}

}  // namespace pipewright::accelerate
