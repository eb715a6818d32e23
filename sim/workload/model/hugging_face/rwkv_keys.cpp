// What configurations of RWKV-7 say beyond the common names (transformers,
// rwkv7/configuration_rwkv7.py; the same names in github.com/fla-org/flash-linear-attention).
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr Name rank_names[] = {
    {"decay_rank", {"decay_low_rank_dim"}},
    {"rate_rank", {"a_low_rank_dim"}},
    {"value_rank", {"v_low_rank_dim"}},
    {"gate_rank", {"gate_low_rank_dim"}},
};

}  // namespace

void extend_rwkv7(const Value& config, Value& transformer) {
  Value mixing = translate(config, rank_names, {});
  const int64_t width = std::max<int64_t>(count_of(config, "head_dim", 64), 1);
  set_number(mixing, "heads", count_of(config, "hidden_size", 0) / width);
  for (const char* key : {"heads", "kv_heads", "head_dim"}) erase(transformer, key);
  transformer.set("time_mixing", std::move(mixing));
  set(transformer, "mixers", "time-mixing");
}

}  // namespace pipewright::hugging_face
