// overlap: keys of several forms.
#include <fmt/format.h>

#include "experiment/readers.hpp"

namespace pipewright {

using config::Fields;
using config::Value;

SendOptions read_p2p(const Value& value) {
  if (!value.is_map()) {
    constexpr SendMode modes[] = {SendMode::async, SendMode::sender, SendMode::rendezvous};
    return {modes[config::as_choice(value, choices::overlap_p2p)], {}};
  }
  const Fields fields(value, "overlap.p2p", keys::overlap_p2p);
  return {SendMode::buffered, config::as_bytes(fields.at("buffered"))};
}

namespace {

TensorOverlapOptions read_domino(const Fields& fields) {
  TensorOverlapOptions options{.kind = TensorOverlap::domino};
  options.columns = static_cast<int>(fields.integer("columns", 1, 1, 1024));
  const bool columns = options.columns > 1;
  options.by_layer = fields.boolean("intra_layer", columns);
  if (columns && !options.by_layer)
    fields.at("intra_layer")
        .fail("overlap.tensor: with columns there is no overlap but within a layer");
  fields.at("domino");
  options.pieces = static_cast<int>(fields.integer("domino", 0, columns ? 1 : 2, 1024));
  return options;
}

TensorOverlapOptions read_chunked(const Fields& fields) {
  for (const char* key : {"domino", "columns", "intra_layer"})
    if (const Value* given = fields.find(key))
      given->fail(fmt::format("overlap.tensor: either 'chunked' or '{}'", key));
  return {.kind = TensorOverlap::chunked,
          .pieces = static_cast<int>(fields.integer("chunked", 0, 2, 1024))};
}

}  // namespace

TensorOverlapOptions read_tensor_overlap(const Value& value) {
  if (!value.is_map())
    return {.kind = static_cast<TensorOverlap>(config::as_choice(value, choices::overlap_tensor))};
  const Fields fields(value, "overlap.tensor", keys::overlap_tensor);
  return fields.find("chunked") ? read_chunked(fields) : read_domino(fields);
}

}  // namespace pipewright
