// After megatron/model/gpt_model.py of Megatron-DeepSpeed: without --pp-partition-method stages are
// cut by the number of transformer layers.
#include "convert/deepspeed/fork_stages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "convert/deepspeed/fork_experts.hpp"
#include "convert/deepspeed/pipeline_stages.hpp"
#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

constexpr int64_t most_layers = 1000, most_stages = 256, most = 100'000'000;
constexpr int64_t gpt2_tokens = 50257;

class Stages {
 public:
  Stages(std::vector<job::Word> words, const job::Source& source, job::Import& import)
      : words_(std::move(words)), source_(source), import_(import) {}

  std::vector<job::Word> run() {
    const int64_t stages = number("pipeline_model_parallel_size", 1, 1);
    const int64_t layers = number("num_layers", 0);
    const bool tied = !find("untie_embeddings_and_output_weights");
    const std::string method = method_of();
    const bool counts_ends = method == "type:transformer|embedding";
    const bool is_single = stages < 2 || find("no_pipeline_parallel");
    const int64_t counted = layers + (counts_ends ? 1 + tied : 0);
    const bool is_even = (counts_ends || method == "type:transformer") && counted % stages == 0;
    if (is_single || !is_even || !counts_ends) take_method();
    if (is_single || is_even || layers < 1) return std::move(words_);
    cut(method, layers, stages);
    return std::move(words_);
  }

 private:
  const job::Word* find(const char* name) const {
    const auto found = std::ranges::find_if(
        words_, [&](const job::Word& word) { return fork_name_of(word) == name; });
    return found == words_.end() ? nullptr : &*found;
  }

  std::string value_of(const char* name) const {
    const job::Word* word = find(name);
    if (!word) return {};
    const size_t equals = word->text.find('=');
    if (equals != std::string::npos) return word->text.substr(equals + 1);
    const bool is_last = word == &words_.back();
    return is_last || !fork_name_of(word[1]).empty() ? std::string() : word[1].text;
  }

  /// What is no size that there may be is refused where arguments are read.
  int64_t number(const char* name, int64_t otherwise, int64_t least = 0) const {
    const int64_t n = interop::number_of<int64_t>(value_of(name)).value_or(otherwise);
    return std::clamp(n, least, most);
  }

  std::string method_of() const {
    const std::string method = interop::lower_case(value_of("pp_partition_method"));
    return method.empty() ? "type:transformer" : method;
  }

  void take_method() {
    const job::Word* word = find("pp_partition_method");
    if (!word) return;
    method_ = *word;
    const auto at = words_.begin() + (word - words_.data());
    const bool is_apart = word->text.find('=') == std::string::npos && word != &words_.back();
    words_.erase(at, at + 1 + is_apart);
  }

  /// The tokens that a tokenizer has; nothing where nobody says it.
  std::optional<int64_t> tokens() const {
    const auto given = source_.given.find("VOCAB_SIZE");
    if (given != source_.given.end())
      return std::clamp<int64_t>(interop::number_of<int64_t>(given->second).value_or(0), 0, most);
    const std::string tokenizer = value_of("tokenizer_type");
    if (tokenizer.empty() || tokenizer == "GPT2BPETokenizer") return gpt2_tokens;
    return std::nullopt;
  }

  PipelineSizes sizes(int64_t layers) const {
    PipelineSizes s;
    s.layers = layers;
    s.hidden = number("hidden_size", 1);
    s.gated = find("swiglu") != nullptr;
    s.ffn = number("ffn_hidden_size", 4 * s.hidden);
    s.heads = number("num_attention_heads", 1, 1);
    s.kv_heads = number("num_key_value_heads", s.heads);
    s.tensor = number("tensor_model_parallel_size", 1, 1);
    s.tied = !find("untie_embeddings_and_output_weights");
    s.bias = !find("disable_bias_linear");
    s.rms = interop::lower_case(value_of("normalization")) == "rmsnorm";
    s.positions = find("use_rotary_position_embeddings") ? 0 : number("max_position_embeddings", 0);
    const int64_t unit = number("make_vocab_size_divisible_by", 128) * s.tensor;
    if (unit > 0) s.vocabulary = (tokens().value_or(0) + unit - 1) / unit * unit;
    return s;
  }

  void cut(const std::string& method, int64_t layers, int64_t stages) {
    const job::Word place = method_ ? *method_ : *find("num_layers");
    if (method == "parameters" && !tokens())
      throw InputError(place.where,
                       "--pp-partition-method parameters counts the vocabulary: give "
                       "it by --define VOCAB_SIZE=N");
    std::optional<std::vector<int>> cuts;
    if (layers <= most_layers && stages <= most_stages)
      cuts = stages_of(megatron_pipeline(sizes(layers)), method, static_cast<int>(stages));
    if (!cuts) {
      job::refuse(source_, import_, place.where,
                  fmt::format("--pp-partition-method {} cannot be said: it is uniform, parameters "
                              "or type: with a plain regular expression",
                              method));
      return;
    }
    import_.assumed.push_back(
        fmt::format("stages have {} layers, as DeepSpeed 0.12.5 and later cut them by {}",
                    fmt::join(*cuts, ", "), method));
    words_.push_back({"--pipeline-model-parallel-layout", place.where, {}, place.text});
    words_.push_back({layout_of(*cuts), place.where, {}, {}});
  }

  std::vector<job::Word> words_;
  const job::Source& source_;
  job::Import& import_;
  std::optional<job::Word> method_;
};

}  // namespace

std::vector<job::Word> with_megatrons_stages(std::vector<job::Word> words,
                                             const job::Source& source, job::Import& import) {
  return Stages(std::move(words), source, import).run();
}

}  // namespace pipewright::deepspeed
