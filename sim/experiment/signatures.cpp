// parallel.sbp: a grid of devices and how each of its sides cuts each product.
#include <fmt/format.h>

#include "experiment/readers.hpp"

namespace pipewright {
namespace {

using config::Value;

Signature read_signature(const Value& value) {
  return static_cast<Signature>(config::as_choice(value, choices::parallel_sbp_layers));
}

/// One word for each side, or one for all.
GridSignatures::Product read_product(const Value& value, std::string name, size_t sides) {
  GridSignatures::Product product{.name = std::move(name), .given = value};
  if (!value.is_list()) {
    product.signatures.fill(read_signature(value));
    return product;
  }
  if (value.items.size() != sides)
    value.fail(fmt::format("the grid has {} side{}, but here are {} words", sides,
                           sides == 1 ? "" : "s", value.items.size()));
  product.signatures.fill(Signature::replicate);
  for (size_t side = 0; side < sides; ++side)
    product.signatures[side] = read_signature(value.items[side]);
  return product;
}

std::vector<GridSignatures::Product> read_products(const Value& layers, size_t sides) {
  std::vector<GridSignatures::Product> products;
  if (layers.is_list()) {
    for (const Value& item : layers.items) products.push_back(read_product(item, "", sides));
    return products;
  }
  const config::Fields fields(layers, "the signatures of a block", keys::signatures_of_a_block);
  for (const char* name : {"qkv", "out", "up", "down"})
    products.push_back(read_product(fields.at(name), name, sides));
  if (const Value* head = fields.find("head"))
    products.push_back(read_product(*head, "head", sides));
  return products;
}

}  // namespace

void read_signatures(const Value& value, Parallel& parallel) {
  const config::Fields fields(value, "parallel.sbp", keys::parallel_sbp);
  const Value& grid = fields.at("grid");
  if (!grid.is_list() || grid.items.empty() || grid.items.size() > grid_sides)
    grid.fail("a grid has up to three sides, such as [4, 2, 8]");
  constexpr int most = 1 << 20;
  int64_t devices = 1;
  parallel.tensor_grid.kind = TensorKind::signatures;
  for (size_t side = 0; side < grid.items.size(); ++side) {
    const int64_t size = config::as_int(grid.items[side], 1, most);
    devices *= size;
    if (devices > most) grid.fail(fmt::format("a grid has at most {} devices", most));
    parallel.tensor_grid.sides[side] = static_cast<int>(size);
  }
  parallel.tensor = static_cast<int>(devices);
  parallel.signatures.products = read_products(fields.at("layers"), grid.items.size());
  parallel.signatures.given = value;
  const bool alone = parallel.pipeline == 1 && parallel.data <= 1 && parallel.context == 1 &&
                     parallel.expert == 1 && parallel.zero == 0 && !parallel.sequence;
  if (!alone)
    value.misfit(
        "sbp: the grid is all there is: pipeline, data, context, expert 1 and zero 0; cutting by "
        "batch is data parallelism");
  parallel.data = 1;
}

}  // namespace pipewright
