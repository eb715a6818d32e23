// parallel: keys of several forms, and keys that must agree.
#include <fmt/format.h>

#include "experiment/readers.hpp"
#include "experiment/tensor_kind.hpp"

namespace pipewright {

using config::Fields;
using config::Value;

namespace {

constexpr int most_devices = 1 << 20;

}  // namespace

/// A degree, or a map with how keys and values are exchanged.
void read_data_degree(const Value& value, Parallel& parallel) {
  const bool fills = value.is_scalar() && value.text == "auto";
  parallel.data = fills ? fill_cluster : static_cast<int>(config::as_int(value, 1, most_devices));
}

void read_context(const Value& value, Parallel& parallel) {
  if (!value.is_map()) {
    parallel.context = static_cast<int>(config::as_int(value, 1, most_devices));
    return;
  }
  const Fields fields(value, "parallel.context", keys::parallel_context);
  parallel.context = static_cast<int>(config::as_int(fields.at("degree"), 1, most_devices));
  ContextOptions& options = parallel.context_options;
  if (const Value* exchange = fields.find("exchange"))
    options.exchange = static_cast<ContextExchange>(
        config::as_choice(*exchange, choices::parallel_context_exchange));
  if (const Value* order = fields.find("order"))
    options.zigzag = config::as_choice(*order, choices::parallel_context_order) == 0;
  const Value* heads = fields.find("heads");
  if (!heads) return;
  options.heads = static_cast<int>(config::as_int(*heads, 1, parallel.context));
  if (options.heads > 1 && options.exchange != ContextExchange::ring)
    heads->misfit("heads are exchanged within rings: it needs exchange: ring");
  if (parallel.context % options.heads != 0)
    heads->misfit(
        fmt::format("heads {} must divide the degree {}", options.heads, parallel.context));
}

void read_tensor_kind_into(const Value& value, Parallel& parallel) {
  parallel.tensor_grid = read_tensor_kind(value, parallel.tensor);
}

namespace {

/// Devices that have strips of the same images stand where those of a sequence do.
void finish_spatial(const Fields& fields, Parallel& parallel) {
  if (parallel.spatial == 1) return;
  if (parallel.context > 1) fields.at("spatial").fail("parallel: either 'context' or 'spatial'");
  parallel.context = parallel.spatial;
}

}  // namespace

void finish_parallel(const Fields& fields, Parallel& parallel) {
  parallel.gives_virtual = fields.find("virtual") != nullptr;
  finish_spatial(fields, parallel);
  const Value* tensor = fields.find("sbp") ? fields.find("tensor") : nullptr;
  if (tensor && config::as_int(*tensor, 1, most_devices) != parallel.tensor)
    tensor->fail(fmt::format("the grid of sbp has {} devices", parallel.tensor));
}

}  // namespace pipewright
