#include "convert/megatron/experts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/megatron/launches.hpp"
#include "convert/megatron/layer_pattern.hpp"

namespace pipewright::megatron {
namespace {

using config::number;
using config::scalar;
using config::Value;

/// Says which layers have experts: the last of every group behind the dense ones. Returns false
/// for others.
bool takes_layers(const std::vector<int>& layers, Value& experts) {
  const auto first = std::find(layers.begin(), layers.end(), 1);
  if (first == layers.end()) return false;
  const auto second = std::find(first + 1, layers.end(), 1);
  const auto every = second == layers.end() ? 1 : second - first;
  const auto dense = first - layers.begin() - (every - 1);
  for (std::ptrdiff_t i = 0; i < std::ssize(layers); ++i)
    if (layers[static_cast<size_t>(i)] != (i >= dense && (i - dense + 1) % every == 0 ? 1 : 0))
      return false;
  if (dense < 0) return false;
  experts.set("dense", number(dense));
  if (every > 1) experts.set("every", number(every));
  return true;
}

Value feeds_of(const std::vector<int>& layers) { return kinds_of(layers, "experts", "dense"); }

class ExpertReader {
 public:
  ExpertReader(Flags& flags, int64_t layers, int64_t ffn)
      : flags_(flags), layers_(layers), ffn_(ffn) {}

  void run(Value& t) {
    t.set("experts", experts());
    if (feeds_.is_list()) t.set("feeds", feeds_);
  }

 private:
  /// Until 2023 a token went to one expert (megatron/core/transformer/switch_mlp.py).
  int64_t active_experts() {
    if (flags_.has("moe-router-topk")) return flags_.number("moe-router-topk", 1);
    const bool is_switch = flags_.latest() < "2024-01";
    flags_.import().assumed.emplace_back(
        is_switch ? "these are arguments of 2023 at the latest, when a token went to one expert"
                  : "nothing says how many experts a token goes to: 2, as by default since 2024");
    return is_switch ? 1 : 2;
  }

  Value experts() {
    Value e;
    const char* count = flags_.has("num-experts") ? "num-experts" : "num-moe-experts";
    const int64_t width = flags_.number("moe-ffn-hidden-size", ffn_);
    const int64_t experts = flags_.number(count, 1), active = active_experts();
    if (active > experts)
      flags_.fail(count, fmt::format("are fewer than the {} experts of a token (--moe-router-topk)",
                                     active));
    e.set("count", number(experts));
    e.set("active", number(active));
    e.set("ffn", number(width));
    if (!flags_.has("disable-bias-linear")) e.set("bias", job::truth(true));
    shared_experts(e, width);
    if (flags_.has("moe-latent-size")) e.set("latent", number(flags_.number("moe-latent-size", 1)));
    capacity(e);
    groups(e);
    moe_layers(e);
    return e;
  }

  /// One that is no whole number of routed ones is an expert of its own width.
  void shared_experts(Value& e, int64_t width) {
    const int64_t shared = flags_.number("moe-shared-expert-intermediate-size", 0, 0);
    if (shared == 0) return;
    const bool is_whole = shared % width == 0;
    e.set("shared", number(is_whole ? shared / width : 1));
    if (!is_whole) e.set("shared_ffn", number(shared));
    if (flags_.has("moe-shared-expert-gate")) e.set("shared_gate", job::truth(true));
  }

  /// Padding to a capacity of at most the mean makes every expert as long as that: the longest is
  /// as long without it. A higher capacity makes rows of padding, which cost as much as others.
  void capacity(Value& e) {
    const char* padding = "moe-pad-expert-input-to-capacity";
    const bool pads = flags_.has(padding);
    if (!flags_.has("moe-expert-capacity-factor")) {
      if (pads) flags_.fail(padding, "needs " + flags_.named("moe-expert-capacity-factor"));
      return;
    }
    const double factor = flags_.real("moe-expert-capacity-factor", 1);
    if (factor < 0.01) flags_.fail("moe-expert-capacity-factor", "needs a number above 0");
    e.set("capacity", scalar(fmt::format("{}", factor)));
    if (pads && factor > 1 && !captures_experts(flags_))
      flags_.refuse(padding,
                    "cannot be said above a capacity of 1: rows of padding are modelled in CUDA "
                    "graphs only");
    else if (pads && factor <= 1)
      flags_.import().assumed.push_back(
          "experts are padded to a capacity of at most their mean, which takes no more time");
  }

  /// Node-limited routing: a token passes through experts of some groups only.
  void groups(Value& e) {
    if (!flags_.has("moe-router-num-groups")) return;
    e.set("groups", number(flags_.number("moe-router-num-groups", 1)));
    if (flags_.has("moe-router-group-topk"))
      e.set("active_groups", number(flags_.number("moe-router-group-topk", 1)));
  }

  /// --moe-layer-freq: layers 0, n, 2 n, ..., or "([0]*3+[1]*58)" in Python.
  void moe_layers(Value& e) {
    const std::string pattern = flags_.text("moe-layer-freq").value_or("1");
    if (std::all_of(pattern.begin(), pattern.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      const int64_t every = flags_.number("moe-layer-freq", 1);
      if (every == 1) return;
      if (layers_ > most_layers)
        flags_.fail("moe-layer-freq", fmt::format("is for at most {} layers", most_layers));
      std::vector<int> layers(static_cast<size_t>(layers_), 0);
      for (size_t i = 0; i < layers.size(); i += static_cast<size_t>(every)) layers[i] = 1;
      feeds_ = feeds_of(layers);
      return;
    }
    const auto layers = read_layer_pattern(pattern);
    if (layers && std::ssize(*layers) == layers_) {
      if (!takes_layers(*layers, e)) feeds_ = feeds_of(*layers);
      return;
    }
    flags_.refuse("moe-layer-freq",
                  fmt::format("'{}' cannot be said: it is a number or a pattern such as "
                              "([0]*3+[1]*58)",
                              pattern));
  }

  Flags& flags_;
  int64_t layers_, ffn_;
  Value feeds_;  ///< by layer, where a rule of experts does not say it
};

}  // namespace

void read_experts(Flags& flags, int64_t layers, int64_t ffn, Value& t) {
  ExpertReader(flags, layers, ffn).run(t);
}

}  // namespace pipewright::megatron
