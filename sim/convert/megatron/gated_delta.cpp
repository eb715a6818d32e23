#include "convert/megatron/gated_delta.hpp"

#include <fmt/format.h>

#include "convert/megatron/layer_pattern.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

using config::number;
using config::Value;

constexpr const char* frequency = "linear-attention-freq";

struct Dimension {
  const char *argument, *key;
  int64_t usual;
};
constexpr Dimension dimensions[] = {{"linear-num-key-heads", "key_heads", 16},
                                    {"linear-num-value-heads", "value_heads", 32},
                                    {"linear-key-head-dim", "key_dim", 128},
                                    {"linear-value-head-dim", "value_dim", 128},
                                    {"linear-conv-kernel-dim", "convolution", 4}};

/// Every n-th layer has softmax attention, or a list has a 0 where one has.
std::vector<int> linear_layers(Flags& flags, int64_t layers) {
  const std::optional<std::string> text = flags.text(frequency);
  if (!text) flags.fail("experimental-attention-variant", fmt::format("needs --{}", frequency));
  if (layers > most_layers)
    flags.fail(frequency, fmt::format("is for at most {} layers", most_layers));
  if (const auto every = interop::number_of<int64_t>(*text); every && *every > 0) {
    std::vector<int> list(static_cast<size_t>(layers), 1);
    for (int64_t i = *every - 1; i < layers; i += *every) list[static_cast<size_t>(i)] = 0;
    return list;
  }
  const auto list = read_layer_pattern(*text);
  if (!list || std::ssize(*list) != layers)
    flags.fail(frequency, fmt::format("'{}' is neither a number nor a pattern of all {} layers "
                                      "such as ([1]*3+[0])*12",
                                      *text, layers));
  return *list;
}

}  // namespace

bool asks_gated_delta(Flags& flags) {
  const std::string variant = flags.look("experimental-attention-variant").value_or("");
  return variant == "gdn" || variant == "gated_delta_net";
}

Value gated_delta(Flags& flags) {
  Value map;
  for (const Dimension& dimension : dimensions)
    map.set(dimension.key, number(flags.number(dimension.argument, dimension.usual)));
  return map;
}

void read_gated_delta(Flags& flags, int64_t layers, Value& transformer) {
  flags.has("experimental-attention-variant");
  transformer.set("mixers", kinds_of(linear_layers(flags, layers), "gated-delta", "full"));
  transformer.set("gated_delta", gated_delta(flags));
}

}  // namespace pipewright::megatron
