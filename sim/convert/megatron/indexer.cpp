#include "convert/megatron/indexer.hpp"

#include <algorithm>

#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

using config::number;
using config::scalar;
using config::Value;

constexpr const char* variant = "experimental-attention-variant";

/// Blocks that choose for themselves: all up to `offset`, and then every `every`-th.
struct Sharing {
  int64_t every = 1, offset = 0;

  bool chooses(int64_t block) const {
    return std::max<int64_t>(block + 1 - std::max<int64_t>(offset, 1), 0) % every == 0;
  }
};

void set_blocks(const Sharing& sharing, int64_t layers, Value& indexer) {
  if (sharing.every == 1) return;
  Value& blocks = indexer.set("blocks", {});
  blocks.kind = Value::Kind::list;
  for (int64_t block = 0; block < layers; ++block)
    blocks.items.push_back(scalar(sharing.chooses(block) ? "own" : "shared"));
}

/// How the blocks share; nothing where no two numbers say it.
std::optional<Sharing> sharing_of(const Indexer& indexer, int64_t layers) {
  if (indexer.choices.empty()) return Sharing{};
  constexpr int64_t most_every = 64, most_offset = 1024;
  for (Sharing sharing; sharing.every <= std::min(layers, most_every); ++sharing.every)
    for (sharing.offset = 0; sharing.offset < std::min(layers, most_offset); ++sharing.offset) {
      bool fits = true;
      for (int64_t block = 0; block < layers && fits; ++block)
        fits = indexer.limits(block) && indexer.in(block) == sharing.chooses(block);
      if (fits) return sharing;
    }
  return std::nullopt;
}

/// Layers before each stage.
std::vector<int64_t> starts_of(const Experiment& e, int64_t layers) {
  const int64_t stages = int64_t{e.parallel.pipeline} * std::max(e.parallel.virtual_stages, 1);
  std::vector<int64_t> starts;
  int64_t before = 0;
  for (int64_t stage = 0; stage < stages; ++stage) {
    starts.push_back(before);
    const bool is_counted = e.partition.kind == PartitionOptions::Kind::counts &&
                            std::ssize(e.partition.counts) == stages;
    before += is_counted ? e.partition.counts[static_cast<size_t>(stage)] : layers / stages;
  }
  return starts;
}

/// A choice does not go from rank to rank (experimental_attention_variant_module_specs.py).
void check_stages(const Experiment& e, const Sharing& sharing, int64_t layers) {
  for (const int64_t start : starts_of(e, layers))
    if (start < layers && !sharing.chooses(start))
      e.misfit("partition",
               fmt::format("Megatron-Core does not send an indexer's choice from stage to stage: "
                           "block {}, with which one begins, must be one that chooses",
                           start));
}

}  // namespace

void read_indexer(Flags& flags, int64_t layers, Value& transformer) {
  const std::optional<std::string> asked = flags.text(variant);
  if (!asked) return;
  if (*asked != "dsa" || !flags.has("multi-latent-attention") || layers > 1'000'000) {
    flags.refuse(variant, fmt::format("{} cannot be said: it is gated_delta_net, or dsa beside "
                                      "--multi-latent-attention",
                                      *asked));
    return;
  }
  Value indexer;
  for (const auto& [name, key] : {std::pair("dsa-indexer-n-heads", "heads"),
                                  {"dsa-indexer-head-dim", "head_dim"},
                                  {"dsa-indexer-topk", "keys"}}) {
    if (!flags.has(name)) flags.fail(variant, fmt::format("dsa needs --{}", name));
    indexer.set(key, number(flags.number(name, 0)));
  }
  set_blocks({flags.number("dsa-indexer-topk-freq", 1),
              flags.number("dsa-indexer-skip-topk-offset", 0, 0)},
             layers, indexer);
  if (!transformer.find("attention")) transformer.set("attention", {});
  transformer.find("attention")->set("indexer", std::move(indexer));
}

void write_indexer(const Experiment& e, ArgumentLines& out) {
  const TransformerShape& shape = e.model_or_fail().transformer;
  if (!shape.attention.indexer || !shape.attention.latent) return;
  const Indexer& indexer = *shape.attention.indexer;
  const std::optional<Sharing> sharing = sharing_of(indexer, shape.layers);
  if (!sharing) return;
  check_stages(e, *sharing, shape.layers);
  out.add(variant, "dsa");
  out.add("dsa-indexer-n-heads", indexer.heads);
  out.add("dsa-indexer-head-dim", indexer.head_dim);
  out.add("dsa-indexer-topk", indexer.keys);
  out.add("no-rope-fusion");  // which transformer_config.py asserts
  if (sharing->every == 1) return;
  out.add("dsa-indexer-topk-freq", sharing->every);
  out.add("dsa-indexer-skip-topk-offset", sharing->offset);
}

}  // namespace pipewright::megatron
