// How many tokens a model has that takes the size of its tokenizer.
#pragma once

#include "convert/job/job.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::megatron_bridge {

/// Gives `transformer`, of the catalogue or of a configuration, the tokens of the recipe's
/// tokenizer, filled up for tensor ranks. Where that size is not known, the model's own is taken,
/// and `notes` say so.
void take_tokenizer(const job::Settings& settings, config::Value& transformer, job::Import& notes);

}  // namespace pipewright::megatron_bridge
