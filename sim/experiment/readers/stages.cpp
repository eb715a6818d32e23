// boundary, placement, partition: what stages are made of and where they stand.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "experiment/readers.hpp"
#include "interop/megatron_layout.hpp"

namespace pipewright {

using config::Fields;
using config::Value;

BoundaryOptions read_boundary(const Value& value) {
  if (!value.is_map()) return {.scatter = config::as_choice(value, choices::boundary) == 1};
  const Fields fields(value, "boundary", keys::boundary);
  BoundaryOptions options{.is_map = true};
  if (const Value* send = fields.find("send"))
    options.scatter = config::as_choice(*send, choices::boundary_send) == 1;
  if (const Value* compress = fields.find("compress"))
    options.compress = config::as_choice(*compress, choices::boundary_compress) == 1;
  return options;
}

namespace {

/// Each library sends in one way.
void check_kernels(const Value& kernels, const DispatchOptions& options) {
  using Send = DispatchOptions::Send;
  const bool once =
      options.kernels == DispatchKernels::deepep || options.kernels == DispatchKernels::hybridep;
  if (once && options.send != Send::once_a_node)
    kernels.misfit("these kernels send a token once a node: send must be once-a-node");
  if (options.kernels == DispatchKernels::deepep_low_latency && options.send != Send::each_copy)
    kernels.misfit("these kernels send every copy: send must be each-copy");
}

}  // namespace

DispatchOptions read_dispatch(const Value& value) {
  using Send = DispatchOptions::Send;
  if (!value.is_map())
    return {.send = static_cast<Send>(config::as_choice(value, choices::dispatch))};
  const Fields fields(value, "dispatch", keys::dispatch);
  DispatchOptions options;
  if (const Value* send = fields.find("send"))
    options.send = static_cast<Send>(config::as_choice(*send, choices::dispatch_send));
  if (const Value* precision = fields.find("precision"))
    options.fp8 = config::as_choice(*precision, choices::dispatch_precision) == 1;
  if (const Value* kernels = fields.find("kernels")) {
    options.kernels =
        static_cast<DispatchKernels>(config::as_choice(*kernels, choices::dispatch_kernels));
    if (options.kernels == DispatchKernels::deepep_low_latency && !fields.find("send"))
      options.send = Send::each_copy;
    check_kernels(*kernels, options);
  }
  if (options.fp8 && options.send == Send::all_gather)
    fields.find("precision")->misfit("tokens that all gather are bf16: no framework casts them");
  return options;
}

namespace {

PartitionOptions laid_out(const Value& text) {
  MegatronLayout layout = read_megatron_layout(text.text, text.mark.where());
  return {PartitionOptions::Kind::counts, std::move(layout.layers), std::move(layout.predictions)};
}

}  // namespace

PartitionOptions read_partition(const Value& value) {
  using Kind = PartitionOptions::Kind;
  if (value.is_map()) {
    const Fields fields(value, "a partition", keys::a_partition);
    return {.kind = Kind::balanced, .pieces = fields.integer("pieces", 1, 1, 64)};
  }
  if (value.is_scalar() && is_megatron_layout(value.text)) return laid_out(value);
  if (!value.is_list())
    return {config::as_choice(value, choices::partition) == 0 ? Kind::even : Kind::balanced, {}};
  PartitionOptions options{Kind::counts, {}};
  for (const Value& item : value.items)
    options.counts.push_back(config::as_int(item, 0, 10'000'000));
  return options;
}

namespace {

/// "tp-cp-ep-dp-pp": fastest first. Expert groups lie inside the others and have no say.
std::vector<Placement::Dimension> read_order(const Value& value) {
  constexpr std::array<std::string_view, 4> names = {"tp", "cp", "dp", "pp"};
  const auto fail = [&] {
    value.fail(fmt::format("'{}' must name tp, cp, ep, dp and pp once each", value.text));
  };
  std::vector<Placement::Dimension> order;
  std::set<std::string_view> seen;
  std::string_view rest = config::as_text(value, "an order such as tp-cp-ep-dp-pp");
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('-'));
    rest = word.size() == rest.size() ? std::string_view{} : rest.substr(word.size() + 1);
    const auto found = std::find(names.begin(), names.end(), word);
    const bool known = word == "ep" || found != names.end();
    if (!known || !seen.insert(word).second) fail();
    if (word != "ep") order.push_back(static_cast<Placement::Dimension>(found - names.begin()));
  }
  if (order.size() != names.size()) fail();
  return order;
}

}  // namespace

Placement read_placement(const Value& value) {
  Placement placement;
  if (!value.is_list()) {
    placement.order = read_order(value);
    return placement;
  }
  for (const Value& item : value.items) {
    placement.devices.push_back(static_cast<int32_t>(config::as_int(item, 0, INT32_MAX)));
    placement.places.push_back(item.mark.where());
  }
  return placement;
}

}  // namespace pipewright
