// What configurations of LongCat-Flash say beyond the common names (arXiv 2509.01322; transformers,
// longcat_flash/modular_longcat_flash.py).
//
// A layer has two pairs of attention and MLP, and experts that read what the first MLP reads. Their
// result is added at the layer's end. These are two blocks: one whose shared expert is the first
// MLP, and one with the second MLP. Left out: that the exchange of the experts may run beside the
// second block.
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {

void extend_longcat(const Value& config, Value& transformer) {
  const int64_t layers = count_of(config, "num_layers", count_of(config, "num_hidden_layers", 0));
  set_number(transformer, "layers", 2 * layers);
  copy(config, "ffn_hidden_size", transformer, "ffn");
  set(transformer, "feeds", "[experts, dense]");
  Value& experts = map_of(transformer, "experts");
  copy(config, "moe_topk", experts, "active");
  copy(config, "zero_expert_num", experts, "zero");
  copy(config, "expert_ffn_hidden_size", experts, "ffn");
  set(experts, "shared", "1");
  copy(config, "ffn_hidden_size", experts, "shared_ffn");
  erase(transformer, "head_dim");
}

}  // namespace pipewright::hugging_face
