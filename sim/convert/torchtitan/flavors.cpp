// After torchtitan/models/*/__init__.py up to v0.2.2 (February 2026), where the width of a Llama's
// MLP is ffn_dim_multiplier x 2/3 x 4 dim in multiples of multiple_of. The experts of Llama 4
// divide that width among the routed and the shared one; _irope leaves positions away and sees the
// whole sequence in every fourth layer, from the first. Models are without tied embeddings, dropout
// and biases, with RMSNorm and rotary positions, where a flavor does not say otherwise.
#include "convert/torchtitan/flavors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "convert/job/given_model.hpp"
#include "convert/job/transformer_map.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::torchtitan {
namespace {

struct Flavor {
  std::string_view model, name, sizes;
};

constexpr Flavor flavors[] = {
    {"llama3", "debugmodel", "layers: 6, hidden: 256, heads: 16, ffn: 768, vocabulary: 2048"},
    {"llama3", "1B",
     "layers: 16, hidden: 2048, heads: 32, kv_heads: 8, ffn: 8192, vocabulary: 128256, "
     "tied_embeddings: true"},
    {"llama3", "3B",
     "layers: 28, hidden: 3072, heads: 24, kv_heads: 8, ffn: 8192, vocabulary: 128256, "
     "tied_embeddings: true"},
    {"llama3", "8B",
     "layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, vocabulary: 128256"},
    {"llama3", "70B",
     "layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, vocabulary: 128256"},
    {"llama3", "405B",
     "layers: 126, hidden: 16384, heads: 128, kv_heads: 8, ffn: 53248, vocabulary: 128256"},
    {"llama2", "271M", "layers: 16, hidden: 1024, heads: 8, ffn: 2816, vocabulary: 32000"},
    {"llama2", "1B", "layers: 18, hidden: 2048, heads: 16, ffn: 5632, vocabulary: 32000"},
    {"llama2", "7B", "layers: 32, hidden: 4096, heads: 32, ffn: 11008, vocabulary: 32000"},
    {"llama2", "13B", "layers: 40, hidden: 5120, heads: 40, ffn: 13824, vocabulary: 32000"},
    {"llama2", "26B", "layers: 80, hidden: 5120, heads: 40, ffn: 13824, vocabulary: 32000"},
    {"llama2", "70B",
     "layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, vocabulary: 32000"},
    {"qwen3", "debugmodel",
     "layers: 8, hidden: 256, heads: 16, kv_heads: 8, head_dim: 128, ffn: 3072, vocabulary: 2048, "
     "tied_embeddings: true, attention: {norm: head}"},
    {"qwen3", "0.6B",
     "layers: 28, hidden: 1024, heads: 16, kv_heads: 8, head_dim: 128, ffn: 3072, vocabulary: "
     "151936, tied_embeddings: true, attention: {norm: head}"},
    {"qwen3", "1.7B",
     "layers: 28, hidden: 2048, heads: 16, kv_heads: 8, head_dim: 128, ffn: 6144, vocabulary: "
     "151936, tied_embeddings: true, attention: {norm: head}"},
    {"qwen3", "4B",
     "layers: 36, hidden: 2560, heads: 32, kv_heads: 8, head_dim: 128, ffn: 9728, vocabulary: "
     "151936, tied_embeddings: true, attention: {norm: head}"},
    {"qwen3", "8B",
     "layers: 36, hidden: 4096, heads: 32, kv_heads: 8, head_dim: 128, ffn: 12288, vocabulary: "
     "151936, attention: {norm: head}"},
    {"qwen3", "14B",
     "layers: 40, hidden: 5120, heads: 40, kv_heads: 8, head_dim: 128, ffn: 17408, vocabulary: "
     "151936, attention: {norm: head}"},
    {"qwen3", "32B",
     "layers: 64, hidden: 5120, heads: 64, kv_heads: 8, head_dim: 128, ffn: 25600, vocabulary: "
     "151936, attention: {norm: head}"},
    {"qwen3", "debugmodel_moe",
     "layers: 8, hidden: 256, heads: 16, kv_heads: 8, head_dim: 128, ffn: 3072, vocabulary: 2048, "
     "experts: {count: 64, active: 8, ffn: 768}, attention: {norm: head}"},
    {"qwen3", "30B-A3B",
     "layers: 48, hidden: 2048, heads: 32, kv_heads: 4, head_dim: 128, ffn: 6144, vocabulary: "
     "151936, experts: {count: 128, active: 8, ffn: 768}, attention: {norm: head}"},
    {"qwen3", "235B-A22B",
     "layers: 94, hidden: 4096, heads: 64, kv_heads: 4, head_dim: 128, ffn: 12288, vocabulary: "
     "151936, experts: {count: 128, active: 8, ffn: 1536}, attention: {norm: head}"},
    {"deepseek_v3", "debugmodel",
     "layers: 6, hidden: 256, heads: 16, ffn: 1024, vocabulary: 2048, experts: {count: 8, active: "
     "3, shared: 2, ffn: 256, dense: 1}, latent: {query: 0, key_value: 512, nope: 128, rope: 64, "
     "value: 128}"},
    {"deepseek_v3", "16B",
     "layers: 27, hidden: 2048, heads: 16, ffn: 10944, vocabulary: 102400, experts: {count: 64, "
     "active: 6, shared: 2, ffn: 1408, dense: 1}, latent: {query: 0, key_value: 512, nope: 128, "
     "rope: 64, value: 128}"},
    {"deepseek_v3", "236B",
     "layers: 60, hidden: 5120, heads: 128, ffn: 12288, vocabulary: 102400, experts: {count: 160, "
     "active: 6, shared: 2, ffn: 1536, dense: 1}, latent: {query: 1536, key_value: 512, nope: 128, "
     "rope: 64, value: 128}"},
    {"deepseek_v3", "671B",
     "layers: 61, hidden: 7168, heads: 128, ffn: 18432, vocabulary: 129280, experts: {count: 256, "
     "active: 8, shared: 1, ffn: 2048, dense: 3}, latent: {query: 1536, key_value: 512, nope: 128, "
     "rope: 64, value: 128}"},
    {"llama4", "debugmodel",
     "layers: 6, hidden: 256, heads: 16, ffn: 768, vocabulary: 2048, experts: {count: 8, active: "
     "1, shared: 1, ffn: 512, every: 2}"},
    {"llama4", "17bx16e",
     "layers: 48, hidden: 5120, heads: 40, kv_heads: 8, ffn: 16384, vocabulary: 202048, experts: "
     "{count: 16, active: 1, shared: 1, ffn: 8192}"},
    {"llama4", "17bx128e",
     "layers: 48, hidden: 5120, heads: 40, kv_heads: 8, ffn: 16384, vocabulary: 202048, experts: "
     "{count: 128, active: 1, shared: 1, ffn: 8192, every: 2}"},
    {"llama4", "debugmodel_irope",
     "layers: 6, hidden: 256, heads: 16, ffn: 768, vocabulary: 2048, window: 256, mixers: [full, "
     "chunked, chunked, chunked], attention: {local_positions: true}, experts: {count: 8, active: "
     "1, shared: 1, ffn: 512, every: 2}"},
    {"llama4", "17bx16e_irope",
     "layers: 48, hidden: 5120, heads: 40, kv_heads: 8, ffn: 16384, vocabulary: 202048, window: "
     "8192, mixers: [full, chunked, chunked, chunked], attention: {local_positions: true}, "
     "experts: {count: 16, active: 1, shared: 1, ffn: 8192}"},
    {"llama4", "17bx128e_irope",
     "layers: 48, hidden: 5120, heads: 40, kv_heads: 8, ffn: 16384, vocabulary: 202048, window: "
     "8192, mixers: [full, chunked, chunked, chunked], attention: {local_positions: true}, "
     "experts: {count: 128, active: 1, shared: 1, ffn: 8192, every: 2}"},
    {"gpt_oss", "debugmodel",
     "layers: 4, hidden: 256, heads: 64, kv_heads: 8, head_dim: 64, ffn: 2880, vocabulary: 201088, "
     "window: 128, window_every: 2, attention: {bias: all, sinks: true}, experts: {count: 8, "
     "active: 4, ffn: 2880, bias: true}"},
    {"gpt_oss", "20b",
     "layers: 24, hidden: 2880, heads: 64, kv_heads: 8, head_dim: 64, ffn: 2880, vocabulary: "
     "201088, window: 128, window_every: 2, attention: {bias: all, sinks: true}, experts: {count: "
     "32, active: 4, ffn: 2880, bias: true}"},
    {"gpt_oss", "120b",
     "layers: 36, hidden: 2880, heads: 64, kv_heads: 8, head_dim: 64, ffn: 2880, vocabulary: "
     "201088, window: 128, window_every: 2, attention: {bias: all, sinks: true}, experts: {count: "
     "128, active: 4, ffn: 2880, bias: true}"}};

/// Attention kernels of their own are variants of a flavor.
std::string plain_name(std::string name) {
  for (const std::string_view variant : {"_flex_attn", "_varlen_attn", "_flex", "_varlen"})
    if (name.ends_with(variant)) name.resize(name.size() - variant.size());
  return name;
}

[[noreturn]] void fail(const config::Value* value, const job::Settings& settings,
                       const std::string& model, const std::string& flavor) {
  std::vector<std::string_view> names;
  const bool is_known = std::any_of(std::begin(flavors), std::end(flavors),
                                    [&](const Flavor& one) { return one.model == model; });
  for (const Flavor& one : flavors) {
    const std::string_view name = is_known ? one.name : one.model;
    if ((!is_known || one.model == model) && (names.empty() || names.back() != name))
      names.push_back(name);
  }
  throw InputError(
      value ? value->mark.where() : settings.where("model"),
      fmt::format("torchtitan's model {} {} cannot be said: here are {}; --model gives "
                  "the sizes of another one, or a Hugging Face config.json",
                  model, flavor, join(names)));
}

/// Returns `model.transformer` of a flavor.
config::Value sizes_of(const Flavor& flavor) {
  const std::string text = fmt::format(
      "{{{}, gated: true, positions: rope, norm: rmsnorm, bias: false, dropout: false}}",
      flavor.sizes);
  config::Value sizes = config::parse(text, "a flavor");
  if (!sizes.find("tied_embeddings")) sizes.set("tied_embeddings", job::truth(false));
  return sizes;
}

/// The base of the rotation that stands in the source of a model's flavors.
int64_t rotary_base(std::string_view model, std::string_view flavor) {
  if (model == "llama3" || model == "llama4") return 500'000;
  if (model == "qwen3") return flavor == "235B-A22B" ? 5'000'000 : 1'000'000;
  return model == "gpt_oss" ? 150'000 : 10'000;
}

/// Until April 2025 jobs said their norms beside the flavor (torchtitan/models/norms.py).
void take_norm(job::Settings& settings, config::Value& sizes) {
  const config::Value* value = settings.find({"model.norm_type"});
  if (!value) return;
  const std::string kind = interop::lower_case(value->text);
  if (kind == "layernorm" || kind == "np_layernorm")
    sizes.set("norm", config::scalar("layernorm"));
  else if (kind != "rmsnorm" && kind != "fused_rmsnorm" && kind != "compiled_rmsnorm")
    settings.refuse("model.norm_type",
                    fmt::format("{} cannot be said: norms are rmsnorm or layernorm", value->text));
}

/// The debug model has 8 layers until April 2025, when jobs said their norms too, and the tokens of
/// its tokenizer: 2256 of Tiktoken's until July 2025, and then 2000.
void take_debug_sizes(job::Settings& settings, config::Value& sizes) {
  const config::Value* tokenizer = settings.look("model.tokenizer_path");
  const std::string path = tokenizer ? tokenizer->text : std::string();
  const bool is_early = settings.look("model.norm_type") != nullptr;
  const int tokens = path.ends_with("test_tiktoken.model")      ? 2256
                     : path.ends_with("tests/assets/tokenizer") ? 2000
                                                                : 2048;
  const int layers = is_early ? 8 : 6;
  sizes.set("layers", config::number(layers));
  sizes.set("vocabulary", config::number(tokens));
  settings.import().assumed.push_back(
      fmt::format("the debug model has the {} layers and {} tokens of {}", layers, tokens,
                  is_early         ? "early 2025"
                  : tokens == 2256 ? "spring 2025"
                  : tokens == 2000 ? "summer 2025"
                                   : "late 2025"));
}

/// Primus changes the layers of a flavor (primus/backends/torchtitan/patches/
/// model_override_patches.py).
void take_layers(job::Settings& settings, config::Value& sizes) {
  const int64_t layers = settings.integer({"model.n_layers"}, 0);
  if (layers > 0) sizes.set("layers", config::number(layers));
}

}  // namespace

config::Value read_flavor(job::Settings& settings) {
  if (std::optional<config::Value> given = job::given_model(settings.source())) {
    for (const char* name : {"model.name", "model.flavor"}) settings.find(std::string_view(name));
    config::Value& sizes = *given->find("transformer");
    take_norm(settings, sizes);
    take_layers(settings, sizes);
    return *given;
  }
  const config::Value* place = settings.find({"model.name"});
  std::string model = settings.text({"model.name"}, "llama3");
  if (model == "llama") model = "llama2";  // its name until Llama 3 came
  const std::string flavor = settings.text({"model.flavor"}, "debugmodel");
  const std::string name = plain_name(flavor);
  const auto found = std::find_if(std::begin(flavors), std::end(flavors), [&](const Flavor& one) {
    return one.model == model && one.name == name;
  });
  if (found == std::end(flavors)) fail(place, settings, model, flavor);
  if (name != flavor)
    settings.import().slight.push_back(fmt::format(
        "model.flavor {}: attention is taken to be causal over whole sequences", flavor));
  config::Value sizes = sizes_of(*found);
  if (name == "debugmodel" && model == "llama3") take_debug_sizes(settings, sizes);
  take_norm(settings, sizes);
  take_layers(settings, sizes);
  config::Value whole;
  whole.set("transformer", std::move(sizes));
  whole.set("constants", {})
      .set(name_of(Constant::rotary_base), config::number(rotary_base(model, name)));
  return whole;
}

bool says_constant(const Experiment& experiment, const ModelConstant& constant) {
  if (constant.what != Constant::rotary_base) return false;
  const FlavorName flavor = flavor_of(experiment);
  return config::as_number(constant.said, 0, 1e12) ==
         static_cast<double>(rotary_base(flavor.model, flavor.name));
}

namespace {

/// A flavor that is not the model, by the sizes in which it is another.
struct Neighbour {
  const Flavor* flavor = nullptr;
  std::vector<std::string> differences{};
};

/// Returns "vocabulary 128256 (not 32000)" for each size of `theirs` that `ours` has not.
std::vector<std::string> differences(const config::Value& theirs, const config::Value& ours) {
  std::vector<std::string> all;
  for (const config::Entry& entry : theirs.entries) {
    const config::Value* own = ours.find(entry.key);
    const std::string said = job::written(entry.value), wanted = own ? job::written(*own) : "none";
    if (said != wanted) all.push_back(fmt::format("{} {} (not {})", entry.key, said, wanted));
  }
  for (const config::Entry& entry : ours.entries)
    if (!theirs.find(entry.key))
      all.push_back(fmt::format("no {} {}", entry.key, job::written(entry.value)));
  return all;
}

[[noreturn]] void fail_without_flavor(const Experiment& experiment, const Neighbour& nearest) {
  constexpr size_t most = 4;
  const size_t count = nearest.differences.size();
  const std::span<const std::string> shown(nearest.differences.data(), std::min(count, most));
  experiment.misfit(
      "model", fmt::format("torchtitan cannot say this model: a job file names flavors only, and "
                           "the nearest, {} {}, has {}{}",
                           nearest.flavor->model, nearest.flavor->name, fmt::join(shown, ", "),
                           count > most ? " and more" : ""));
}

}  // namespace

FlavorName flavor_of(const Experiment& experiment) {
  const config::Value wanted = job::transformer_map(experiment.model_or_fail().transformer);
  Neighbour nearest;
  for (const Flavor& flavor : flavors) {
    config::Value model;
    model.set("transformer", sizes_of(flavor));
    const config::Value sizes = job::transformer_map(read_model(model).transformer);
    std::vector<std::string> others = differences(sizes, wanted);
    if (others.empty()) return {flavor.model, flavor.name};
    if (!nearest.flavor || others.size() < nearest.differences.size())
      nearest = {&flavor, std::move(others)};
  }
  fail_without_flavor(experiment, nearest);
}

}  // namespace pipewright::torchtitan
