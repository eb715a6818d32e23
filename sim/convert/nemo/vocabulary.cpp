// After nemo/collections/llm (api.py, gpt/data/mock.py, gpt/model/base.py) and
// nemo/collections/common/tokenizers/null_tokenizer.py of NeMo 2.5.
#include "convert/nemo/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "convert/job/python_document.hpp"

namespace pipewright::nemo {
namespace {

/// Families whose classes have a vocab_size of their own.
constexpr std::string_view sized[] = {"Gemma2", "Gemma3", "Phi3", "Qwen2", "Qwen25", "Qwen3"};

constexpr int64_t of_gpt2 = 50257;
constexpr int64_t most_tokens = 1'000'000'000;

struct Tokenizer {
  std::string_view name;
  int64_t tokens;
};

/// Returns a number that the strategy or the model reads too.
int64_t number_at(const job::Settings& settings, std::string_view path, int64_t otherwise) {
  const config::Value* value = settings.look(path);
  return value && !value->is_null() ? config::as_int(*value, 1, most_tokens) : otherwise;
}

std::string class_of_section(const job::Settings& settings, std::string_view path) {
  const config::Value* section = settings.look(path);
  return section ? job::class_of(*section) : std::string();
}

/// Tells whether the data's tokenizer is a NullTokenizer, by its class or by the function that
/// makes one of the library "null" (nemo/collections/nlp/modules/common/tokenizer_utils.py).
bool is_null_tokenizer(const job::Settings& settings) {
  const std::string made = class_of_section(settings, "data.tokenizer");
  const config::Value* library = settings.look("data.tokenizer.library");
  return made == "NullTokenizer" ||
         (made == "get_nmt_tokenizer" && library && library->text == "null");
}

/// A NullTokenizer has an end beside its tokens.
std::optional<Tokenizer> tokenizer_of_data(const job::Settings& settings) {
  const config::Value* said = settings.look("data.tokenizer");
  if (said && !said->is_null()) {
    if (!is_null_tokenizer(settings)) return std::nullopt;
    return Tokenizer{"NullTokenizer", number_at(settings, "data.tokenizer.vocab_size", 1) + 1};
  }
  if (class_of_section(settings, "data") != "MockDataModule") return std::nullopt;
  return Tokenizer{"GPT-2's tokenizer, which MockDataModule takes,", of_gpt2};
}

int64_t padded_tokens(const job::Settings& settings, int64_t tokens) {
  const int64_t ranks = number_at(settings, "trainer.strategy.tensor_model_parallel_size", 1);
  const int64_t unit =
      ranks * number_at(settings, "model.config.make_vocab_size_divisible_by", 128);
  return (tokens + unit - 1) / unit * unit;
}

}  // namespace

void take_tokens(const job::Settings& settings, std::string_view model_class,
                 config::Value& transformer, job::Import& import) {
  const config::Value* preset = settings.look("model.config.vocab_size");
  const bool has_own = std::ranges::any_of(
      sized, [&](std::string_view family) { return model_class.starts_with(family); });
  if (has_own || (preset && !preset->is_null())) return;
  const std::optional<Tokenizer> tokenizer = tokenizer_of_data(settings);
  if (!tokenizer) return;
  const int64_t tokens = padded_tokens(settings, std::min(tokenizer->tokens, most_tokens));
  transformer.set("vocabulary", config::number(tokens));
  import.assumed.push_back(
      fmt::format("{} tokens: those of {} padded for the tensor ranks", tokens, tokenizer->name));
}

}  // namespace pipewright::nemo
