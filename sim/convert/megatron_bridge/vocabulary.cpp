// After training/setup.py (_validate_and_set_vocab_size) and models/conversion/model_bridge.py
// (make_vocab_size_divisible_by), August 2026.
#include "convert/megatron_bridge/vocabulary.hpp"

#include <fmt/format.h>

#include "convert/megatron/vocabulary.hpp"

namespace pipewright::megatron_bridge {
namespace {

using config::Value;

constexpr int64_t most_tokens = INT64_C(1'000'000'000'000);

/// Returns a value that the recipe says, or null.
const Value* said_at(const job::Settings& settings, std::string_view path) {
  const Value* value = settings.look(path);
  if (value) job::check_known(*value);
  return value && value->is_scalar() && !value->is_null() ? value : nullptr;
}

int64_t number_at(const job::Settings& settings, std::string_view path, int64_t otherwise) {
  const Value* value = said_at(settings, path);
  return value ? config::as_int(*value, 1, most_tokens) : otherwise;
}

/// NullTokenizer has no token more than it is told, as since February 2026.
std::optional<int64_t> tokens_of(const job::Settings& settings) {
  const Value* type = said_at(settings, "tokenizer.tokenizer_type");
  const Value* model = said_at(settings, "tokenizer.tokenizer_model");
  const Value* size = said_at(settings, "tokenizer.vocab_size");
  if (type && type->text == "NullTokenizer" && size) return config::as_int(*size, 1, most_tokens);
  return model ? megatron::public_tokens(model->text) : std::nullopt;
}

}  // namespace

void take_size(job::Settings& settings, Value& transformer) {
  constexpr const char* path = "model.vocab_size";
  const Value* size = said_at(settings, path);
  if (!size) return;
  const int64_t own = config::as_int(*settings.find(path), 1, most_tokens);
  const int64_t tokens = tokens_of(settings).value_or(own);
  if (own < tokens)
    size->fail(fmt::format("{} is fewer than the {} tokens of the tokenizer", path, tokens));
  transformer.set("vocabulary", config::number(own));
}

void take_tokenizer(const job::Settings& settings, Value& transformer, job::Import& notes) {
  const int64_t own = config::as_int(*transformer.find("vocabulary"), 1, most_tokens);
  const auto tokens = tokens_of(settings);
  if (!tokens) notes.assumed.emplace_back("the tokenizer has as many tokens as the model");
  // The largest power of two, up to 128, that divides the model's own size.
  int64_t multiple = 128;
  while (own % multiple != 0) multiple /= 2;
  const int64_t unit = number_at(settings, "model.make_vocab_size_divisible_by", multiple) *
                       number_at(settings, "model.tensor_model_parallel_size", 1);
  const int64_t all = tokens.value_or(own);
  transformer.set("vocabulary", config::number((all + unit - 1) / unit * unit));
}

}  // namespace pipewright::megatron_bridge
