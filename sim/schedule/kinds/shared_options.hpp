// Options that several schedules have.
#pragma once

#include "schedule/interleaved.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::schedule {

/// Chunks of the model a rank; parallel.virtual is the same.
inline KindOption virtual_option(std::string_view preset) {
  return {"virtual",
          "a whole number",
          preset,
          "The chunks of the model (stages) that each rank holds.",
          {}};
}

inline KindOption grouping_option() {
  return {"grouping",
          "",
          "",
          "How micro-batches are grouped: `group` at a time as Megatron-LM "
          "does, or in equal rounds as PyTorch does.",
          {std::begin(grouping_names), std::end(grouping_names)}};
}

inline KindOption group_option() {
  return {"group",
          "a whole number",
          "the number of ranks",
          "The micro-batches that run through one chunk before the next has its turn.",
          {}};
}

inline KindOption slices_option(std::string_view preset) {
  return {"slices",
          "a whole number, a list of token lengths, or auto",
          preset,
          "The token slices of a micro-batch. With auto TeraPipe's program chooses the cuts.",
          {}};
}

inline KindOption granularity_option() {
  return {"granularity",
          "a whole number of tokens",
          "8, or what leaves 256 pieces",
          "Cuts by cost are multiples of this many tokens.",
          {}};
}

}  // namespace pipewright::schedule
