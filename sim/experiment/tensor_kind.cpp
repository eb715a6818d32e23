#include "experiment/tensor_kind.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "experiment/options.hpp"

namespace pipewright {
namespace {

using config::Value;

/// The whole root of `power` of n, if it has one.
std::optional<int> whole_root(int n, int power) {
  const auto root = static_cast<int>(std::lround(std::pow(n, 1.0 / power)));
  int64_t product = 1;
  for (int k = 0; k < power; ++k) product *= root;
  return product == n ? std::optional(root) : std::nullopt;
}

TensorGrid layered(const Value& value, int tensor, int depth) {
  if (tensor % depth == 0)
    if (const std::optional<int> q = whole_root(tensor / depth, 2))
      return {TensorKind::layered, {*q, *q, depth}};
  value.misfit(fmt::format(
      "2.5d needs squares of devices: tensor {} is no square times the depth {}", tensor, depth));
}

/// Returns the deepest grid of squares that are no smaller than it is deep.
TensorGrid deepest(const Value& value, int tensor) {
  for (int depth = tensor; depth > 0; --depth) {
    if (tensor % depth != 0) continue;
    const std::optional<int> q = whole_root(tensor / depth, 2);
    if (q && *q >= depth) return {TensorKind::layered, {*q, *q, depth}};
  }
  return layered(value, tensor, 1);
}

}  // namespace

TensorGrid read_tensor_kind(const Value& value, int tensor) {
  if (value.is_map()) {
    const config::Fields fields(value, "tensor_kind", keys::tensor_kind);
    fields.at("2.5d");
    return layered(value, tensor, static_cast<int>(fields.integer("2.5d", 1, 1, tensor)));
  }
  switch (config::as_choice(value, choices::parallel_tensor_kind)) {
    case 1:
      if (const std::optional<int> q = whole_root(tensor, 2))
        return {TensorKind::square, {*q, *q, 1}};
      value.misfit(fmt::format("2d needs a square of devices: tensor {} is none", tensor));
    case 2:
      return deepest(value, tensor);
    case 3:
      if (const std::optional<int> l = whole_root(tensor, 3))
        return {TensorKind::cube, {*l, *l, *l}};
      value.misfit(fmt::format("3d needs a cube of devices: tensor {} is none", tensor));
    default:
      return {};
  }
}

}  // namespace pipewright
