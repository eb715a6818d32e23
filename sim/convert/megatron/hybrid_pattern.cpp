#include "convert/megatron/hybrid_pattern.hpp"

#include <algorithm>
#include <cmath>

#include "convert/megatron/layer_pattern.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

constexpr std::string_view letters = "MG*-E";

bool has_letters_only(std::string_view layers) {
  return std::ranges::all_of(layers, [](char c) { return letters.find(c) != std::string::npos; });
}

/// Takes what stands before the first `separator`.
std::string_view take_part(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

void take_stages(std::string_view text, HybridPattern& pattern) {
  const auto bars = std::ranges::count(text, '|');
  for (std::ptrdiff_t i = 0; i <= bars; ++i) {
    const std::string_view stage = take_part(text, '|');
    pattern.layers += stage;
    if (bars > 0) pattern.stages.push_back(static_cast<int>(stage.size()));
  }
}

/// Turns a layer of Mamba into a `letter` where the layers of Mamba before it are used up.
void spread(std::string& layers, double others_between, char letter) {
  double left = others_between;
  for (char& layer : layers) {
    if (layer != 'M') continue;
    const bool is_turned = left < 0.5;
    if (is_turned) layer = letter;
    left += is_turned ? others_between : -1;
  }
}

}  // namespace

std::optional<HybridPattern> read_hybrid_pattern(std::string_view text) {
  if (std::ssize(text) > 4 * most_layers) return std::nullopt;
  HybridPattern pattern;
  take_stages(take_part(text, '/'), pattern);
  while (!text.empty()) {
    const std::string_view module = take_part(text, '/');
    if (pattern.modules++ == 0) pattern.module = module;
    if (module != pattern.module) return std::nullopt;
  }
  const bool fits = !pattern.layers.empty() && std::ssize(pattern.layers) <= most_layers &&
                    has_letters_only(pattern.layers) && has_letters_only(pattern.module);
  if (!fits || (pattern.modules > 0 && pattern.module.empty())) return std::nullopt;
  return pattern;
}

std::string pattern_of_shares(int64_t layers, double attention, double mlp) {
  const double count = static_cast<double>(layers);
  const double attending = std::nearbyint(count * attention);
  std::string pattern(static_cast<size_t>(layers), 'M');
  spread(pattern, (count - attending) / (attending + 1), '*');
  const double plain = std::nearbyint(count * mlp);
  if (plain > 0) spread(pattern, (count - attending - plain) / plain, '-');
  return pattern;
}

}  // namespace pipewright::megatron
