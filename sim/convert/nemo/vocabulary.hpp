// The tokens of a model of NeMo 2 whose class leaves them to the tokenizer.
#pragma once

#include <string_view>

#include "convert/job/settings.hpp"

namespace pipewright::nemo {

/// Gives `transformer`, a model of the class called so, the tokens of the tokenizer that
/// pretraining takes from its data: those of a NullTokenizer, or GPT-2's where a MockDataModule has
/// none. They are padded for the tensor ranks. A tokenizer by the name of a model has the model's.
void take_tokens(const job::Settings& settings, std::string_view model_class,
                 config::Value& transformer, job::Import& import);

}  // namespace pipewright::nemo
