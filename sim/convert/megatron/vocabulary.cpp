// The tokenizer decides. Its type or its name says how many tokens it has where they are those of a
// public model; the rest is in its files. Sources: megatron/core/tokenizers and, before 2026,
// megatron/training/tokenizer: the size is padded to a multiple of --make-vocab-size-divisible-by
// on every tensor rank; NullTokenizer counted a token more than --vocab-size until February 2026.
#include "convert/megatron/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

/// Tokens by the beginning of a model's name at Hugging Face, longer ones first. Sizes are what its
/// tokenizer has with added tokens.
struct Known {
  std::string_view name;
  int64_t size;
};
constexpr Known models[] = {{"meta-llama/Llama-2", 32000},
                            {"meta-llama/CodeLlama", 32016},
                            {"meta-llama/Meta-Llama-3", 128256},
                            {"meta-llama/Llama-3", 128256},
                            {"huggyllama/llama", 32000},
                            {"mistralai/Mixtral-8x7B", 32000},
                            {"mistralai/Mistral-7B-v0.1", 32000},
                            {"mistralai/Mistral-7B-Instruct-v0.1", 32000},
                            {"Qwen/Qwen2.5", 151665},
                            {"Qwen/Qwen3", 151669},
                            {"EleutherAI/gpt-neox-20b", 50277},
                            {"bigscience/bloom", 250680},
                            {"openai-community/gpt2", 50257},
                            {"tiiuae/falcon", 65024}};
constexpr Known types[] = {{"GPT2BPETokenizer", 50257},
                           {"BertWordPieceLowerCase", 30522},
                           {"BertWordPieceCase", 28996},
                           {"Llama2Tokenizer", 32000},
                           {"Llama3Tokenizer", 128256}};  // of Primus

std::optional<int64_t> size_of(const Known* first, const Known* last, std::string_view name) {
  const Known* found =
      std::find_if(first, last, [&](const Known& known) { return name.starts_with(known.name); });
  if (found == last) return std::nullopt;
  return found->size;
}

/// Files of a public tokenizer, by what their paths have in it.
struct PublicFile {
  std::string_view type, name;
};
constexpr PublicFile public_files[] = {{"GPT2BPETokenizer", "gpt2"},
                                       {"GPT2BPETokenizer", "gpt-2"},
                                       {"Llama2Tokenizer", "llama"},
                                       {"Llama2Tokenizer", "mistral-7b"},
                                       {"Llama2Tokenizer", "mixtral-8x7b"}};

/// Tells whether `path` may be a file of the public tokenizer of that type. Where the path is to be
/// filled in, or says no folder, nothing is said against it.
bool may_be_public(std::string_view type, const std::string& path) {
  const std::string name = interop::lower_case(path);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  const bool is_of_two = type == "GPT2BPETokenizer" || type == "Llama2Tokenizer";
  if (!is_of_two || has("$") || has("<") || has("path/to") || has("path_to")) return true;
  if (!has("/")) return true;
  return std::any_of(std::begin(public_files), std::end(public_files),
                     [&](const PublicFile& file) { return file.type == type && has(file.name); });
}

class Vocabulary {
 public:
  Vocabulary(Flags& flags, const std::string& otherwise)
      : flags_(flags), type_(flags.text("tokenizer-type").value_or(otherwise)) {}

  int64_t size() {
    if (const auto given = given_size()) return *given;
    if (type_ == "NullTokenizer" || type_ == "NullMultimodalTokenizer") return null_size();
    if (type_ == "TikTokenizer") return flags_.number("vocab-size", 131072);
    if (const auto known = of_model()) return *known;
    if (const auto known = of_type()) return *known;
    return unsaid();
  }

 private:
  /// The user says it where it is in files of the job.
  std::optional<int64_t> given_size() {
    const auto given = flags_.source().given.find("VOCAB_SIZE");
    if (given == flags_.source().given.end() || !from_files()) return std::nullopt;
    int64_t size = 0;
    const std::string& text = given->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || end != text.data() + text.size() || size < 1)
      throw InputError(fmt::format("--define VOCAB_SIZE={}: needs a whole number", text));
    return size;
  }

  bool from_files() {
    return type_ != "NullTokenizer" && type_ != "NullMultimodalTokenizer" &&
           type_ != "TikTokenizer";
  }

  int64_t null_size() {
    if (!flags_.has("vocab-size"))
      flags_.fail("tokenizer-type", "is not enough: --vocab-size is missing");
    const int64_t size = flags_.number("vocab-size", 0);
    if (type_ == "NullMultimodalTokenizer" || flags_.latest() < "2026-02") return size + 1;
    flags_.import().assumed.push_back(
        "NullTokenizer counts no token more than --vocab-size, as since February 2026");
    return size;
  }

  std::optional<int64_t> of_model() {
    if (type_ != "HuggingFaceTokenizer" || !flags_.has("tokenizer-model")) return std::nullopt;
    return public_tokens(flags_.written("tokenizer-model"));
  }

  std::optional<int64_t> of_type() {
    const std::optional<int64_t> size = size_of(std::begin(types), std::end(types), type_);
    if (!size) return std::nullopt;
    const bool is_llama = type_ == "Llama2Tokenizer";
    const char* file = is_llama ? "tokenizer-model" : "vocab-file";
    if (flags_.has(file) && !may_be_public(type_, flags_.written(file))) return std::nullopt;
    if (flags_.has(file))
      flags_.import().assumed.push_back(
          fmt::format("{} has the {} tokens of the public {}", flags_.named(file), *size, type_));
    return *size + (is_llama ? 0 : flags_.number("vocab-extra-ids", 0, 0));
  }

  int64_t unsaid() {
    if (flags_.has("vocab-size")) {
      flags_.import().assumed.push_back(
          fmt::format("the tokenizer has as many tokens as {} says", flags_.named("vocab-size")));
      return flags_.number("vocab-size", 0);
    }
    const std::string why =
        "the number of tokens is in the tokenizer's files: give it by --define VOCAB_SIZE=N";
    if (type_.empty())
      throw InputError(flags_.where(),
                       fmt::format("no {} is here; give the number of tokens by --define "
                                   "VOCAB_SIZE=N",
                                   flags_.named("tokenizer-type")));
    const char* name = flags_.has("tokenizer-model") ? "tokenizer-model"
                       : flags_.has("vocab-file")    ? "vocab-file"
                                                     : "tokenizer-type";
    throw InputError(flags_.where(name), fmt::format("{}: {}", flags_.named(name), why));
  }

  Flags& flags_;
  std::string type_;
};

}  // namespace

std::optional<int64_t> public_tokens(std::string_view name) {
  return size_of(std::begin(models), std::end(models), name);
}

int64_t vocabulary(Flags& flags, int64_t tensor, const std::string& otherwise) {
  if (flags.has("padded-vocab-size")) return flags.number("padded-vocab-size", 0);
  const int64_t size = Vocabulary(flags, otherwise).size();
  for (const char* file :
       {"vocab-file", "merge-file", "tiktoken-num-special-tokens", "tokenizer-model"})
    flags.has(file);
  const int64_t unit = flags.number("make-vocab-size-divisible-by", 128) * tensor;
  if (flags.has("no-pad-vocab-size") || flags.has("disable-pad-vocab-size")) return size;
  return (size + unit - 1) / unit * unit;
}

}  // namespace pipewright::megatron
