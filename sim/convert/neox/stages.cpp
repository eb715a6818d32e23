// After megatron/model/gpt2_model.py of GPT-NeoX, which hands pipe_partition_method to DeepSpeed.
#include "convert/neox/stages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "convert/deepspeed/pipeline_stages.hpp"
#include "convert/megatron/document.hpp"
#include "interop/words.hpp"

namespace pipewright::neox {
namespace {

constexpr int64_t most_layers = 1000, most_stages = 256, most = 100'000'000;

/// The number of an argument that was made of the settings. What is no size that there may be is
/// refused where arguments are read.
int64_t number_of(const std::vector<job::Word>& words, std::string_view name) {
  const auto found = std::ranges::find(words, name, &job::Word::text);
  if (found == words.end() || found + 1 == words.end()) return 0;
  return std::clamp<int64_t>(interop::number_of<int64_t>(found[1].text).value_or(0), 0, most);
}

bool has(const std::vector<job::Word>& words, std::string_view name) {
  return std::ranges::find(words, name, &job::Word::text) != words.end();
}

/// The tokens with those that fill up; nothing where nobody says how many there are.
int64_t vocabulary(job::Settings& settings, const job::Source& source, int64_t tensor) {
  if (const int64_t padded = settings.integer({"padded_vocab_size"}, 0, 0); padded > 0)
    return std::min(padded, most);
  const auto given = source.given.find("VOCAB_SIZE");
  const int64_t tokens =
      given == source.given.end() ? 0 : interop::number_of<int64_t>(given->second).value_or(0);
  const int64_t unit = std::min(settings.integer({"make_vocab_size_divisible_by"}, 128), most);
  return (std::clamp<int64_t>(tokens, 0, most) + unit * tensor - 1) / (unit * tensor) *
         (unit * tensor);
}

deepspeed::PipelineSizes sizes_of(job::Settings& settings, const job::Source& source,
                                  const std::vector<job::Word>& words) {
  deepspeed::PipelineSizes s;
  s.layers = number_of(words, "--num-layers");
  s.hidden = number_of(words, "--hidden-size");
  s.ffn = number_of(words, "--ffn-hidden-size");
  s.heads = std::max<int64_t>(1, number_of(words, "--num-attention-heads"));
  s.kv_heads = has(words, "--num-query-groups") ? number_of(words, "--num-query-groups") : s.heads;
  s.tensor = std::max<int64_t>(1, number_of(words, "--tensor-model-parallel-size"));
  s.gated = has(words, "--gated-linear-unit");
  s.tied = !has(words, "--untie-embeddings-and-output-weights");
  s.rms = settings.text({"norm"}, "layernorm").find("rms") != std::string::npos;
  if (settings.text({"pos_emb"}, "learned") == "learned")
    s.positions = number_of(words, "--max-position-embeddings");
  s.vocabulary = vocabulary(settings, source, s.tensor);
  return s;
}

}  // namespace

void add_stages(job::Settings& settings, const job::Source& source, std::vector<job::Word>& words) {
  const std::string key = "pipe_partition_method";
  const std::string method = settings.text({key}, "type:transformer|mlp");
  const int64_t stages = number_of(words, "--pipeline-model-parallel-size");
  const deepspeed::PipelineSizes sizes = sizes_of(settings, source, words);
  if (stages < 2 || sizes.layers < 1) return;
  if (method == "parameters" && sizes.vocabulary == 0)
    throw InputError(settings.where(key),
                     "pipe_partition_method: parameters counts the vocabulary: "
                     "give it by --define VOCAB_SIZE=N");
  std::optional<std::vector<int>> cuts;
  if (sizes.layers <= most_layers && stages <= most_stages)
    cuts = deepspeed::stages_of(deepspeed::neox_pipeline(sizes), method, static_cast<int>(stages));
  if (!cuts) {
    settings.refuse(key, method +
                             " cannot be said: it is uniform, parameters or type: with a "
                             "plain regular expression");
    return;
  }
  if (std::ranges::adjacent_find(*cuts, std::ranges::not_equal_to()) == cuts->end()) return;
  settings.import().assumed.push_back(
      fmt::format("stages have {} layers, as DeepSpeed 0.12.5 and later cut them by {}",
                  fmt::join(*cuts, ", "), method));
  megatron::add_argument("pipeline-model-parallel-layout", deepspeed::layout_of(*cuts), key,
                         settings.where(key), words);
}

}  // namespace pipewright::neox
