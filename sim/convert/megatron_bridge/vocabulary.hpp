// How many tokens a model has: those that its recipe says, or those of its tokenizer.
#pragma once

#include "convert/job/job.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::megatron_bridge {

/// Gives `transformer` the tokens that the recipe says of its model, which are not filled up.
/// Throws InputError where the tokenizer is known to have more.
void take_size(job::Settings& settings, config::Value& transformer);

/// Gives `transformer`, of the catalogue or of a configuration, the tokens of the recipe's
/// tokenizer, filled up for tensor ranks. Where that size is not known, the model's own is taken,
/// and `notes` say so.
void take_tokenizer(const job::Settings& settings, config::Value& transformer, job::Import& notes);

}  // namespace pipewright::megatron_bridge
