// How many tokens the embedding of a Megatron-LM job knows.
#pragma once

#include <optional>

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Returns how many tokens the tokenizer of a public model has, with added ones, by its name at
/// Hugging Face; nothing for others.
std::optional<int64_t> public_tokens(std::string_view name);

/// Returns the size of the tokenizer's vocabulary, padded as Megatron-LM pads it for tensor ranks.
/// `otherwise` is the type of the tokenizer that the program takes where nobody says one. Throws
/// InputError where the size lies in files that are not there.
int64_t vocabulary(Flags& flags, int64_t tensor, const std::string& otherwise);

}  // namespace pipewright::megatron
