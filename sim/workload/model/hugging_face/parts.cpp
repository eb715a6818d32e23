#include "workload/model/hugging_face/parts.hpp"

#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr Name expert_names[] = {
    {"count", {"n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"}},
    {"active", {"num_experts_per_tok", "moe_k"}},
    {"shared", {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"}},
    {"ffn", {"moe_intermediate_size", "intermediate_size"}},
    {"every", {"decoder_sparse_step"}},
    {"dense", {"first_k_dense_replace"}},
    {"groups", {"n_group"}},
    {"active_groups", {"topk_group"}},
};

constexpr Name latent_names[] = {
    {"query", {"q_lora_rank"}},     {"key_value", {"kv_lora_rank"}}, {"nope", {"qk_nope_head_dim"}},
    {"rope", {"qk_rope_head_dim"}}, {"value", {"v_head_dim"}},
};

/// Qwen's shared expert is one as wide as several of the others, or of a width of its own.
void add_shared_expert(const Value& value, Value& experts) {
  constexpr int64_t most_width = 1 << 22;
  const Value* shared = find_given(value, "shared_expert_intermediate_size");
  const Value* ffn = experts.find("ffn");
  if (!shared || !ffn) return;
  const int64_t width = config::as_int(*shared, 0, most_width);
  const int64_t one = config::as_int(*ffn, 1, most_width);
  if (width == 0) return;
  const bool several = width % one == 0;
  experts.set("shared", config::number(several ? width / one : 1, shared->mark));
  if (!several) experts.set("shared_ffn", *shared);
  experts.set("shared_gate", config::scalar("true", shared->mark));
}

/// Adds the biases that a configuration says for itself: of attention, of the MLP, or of both.
void add_biases(const Value& value, Value& transformer) {
  if (find_given(value, "kv_lora_rank")) return;
  const bool of_all = says(value, "attention_bias", true) || says(value, "use_bias", true);
  const bool of_inputs = says(value, "use_qkv_bias", true) || says(value, "qkv_bias", true);
  const bool of_mlp = says(value, "mlp_bias", true) || says(value, "use_bias", true);
  if (!transformer.find("bias") || transformer.find("bias")->text == "true") return;
  const std::string_view attention = of_all ? "all" : of_inputs ? "inputs" : of_mlp ? "none" : "";
  if (!attention.empty() && !map_of(transformer, "attention").find("bias"))
    map_of(transformer, "attention").set("bias", config::scalar(attention, value.mark));
  if (!of_mlp) return;
  transformer.set("bias", config::scalar("true", value.mark));
  transformer.set("dropout", config::scalar("false", value.mark));
}

/// A model without experts sends no token to any.
void check_dense(const Value& value, const Value& count) {
  const Value* active = find_any(value, expert_names[1]);
  if (active && active->text != "0")
    count.fail(
        fmt::format("the number of experts must be at least 1 where a token goes to {}; "
                    "a model without experts has 0 of both",
                    active->text));
}

void add_experts(const Value& value, Value& transformer) {
  const Value* count = find_any(value, expert_names[0]);
  if (!count) return;
  if (count->text == "0") return check_dense(value, *count);
  Value& experts = transformer.set("experts", translate(value, expert_names, {}));
  const Value* every = find_given(value, "moe_layer_freq");
  if (every && !every->is_list()) experts.set("every", *every);
  add_shared_expert(value, experts);
}

/// Names the activation where its kernels are several.
void add_activation(const Value& value, Value& transformer) {
  const Value* given =
      find_any(value, {"activation", {"activation_function", "hidden_act", "hidden_activation"}});
  if (given && given->text == "gelu_new")
    transformer.set("activation", config::scalar("gelu-new", given->mark));
}

}  // namespace

bool says_experts(const Value& value) { return find_any(value, expert_names[0]) != nullptr; }

void add_parts(const Value& value, Value& transformer) {
  add_experts(value, transformer);
  if (find_given(value, "kv_lora_rank"))
    transformer.set("latent", translate(value, latent_names, {}));
  read_feed_types(value, transformer);
  add_biases(value, transformer);
  add_activation(value, transformer);
  const Value* window = find_given(value, "sliding_window");
  if (window && !says(value, "use_sliding_window", false)) transformer.set("window", *window);
  if (says(value, "use_parallel_residual", false) || says(value, "parallel_attn", false))
    transformer.set("parallel_block", config::scalar("false", value.mark));
  if (says(value, "multi_query", true) && !says(value, "new_decoder_architecture", true))
    transformer.set("kv_heads", config::number(1, value.mark));
}

}  // namespace pipewright::hugging_face
