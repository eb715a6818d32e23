#include "workload/transformer/signed_cuts.hpp"

#include <fmt/format.h>

namespace pipewright::transformer {
namespace {

using Product = GridSignatures::Product;

const Product* find(const GridSignatures& given, std::string_view name) {
  for (const Product& product : given.products)
    if (product.name == name) return &product;
  return nullptr;
}

const Product* named(const GridSignatures& given, std::string_view name) {
  const Product* product = find(given, name);
  if (!product)
    given.given.fail("a transformer's layers are a map: {qkv: ..., out: ..., up: ..., down: ...}");
  return product;
}

/// Refuses `row` for a product that takes the normed stream; a table is cut by its rows only.
void check(const SignedCuts& cuts, const Product& product) {
  if (!cuts.follows_norm(product) && product.name != "head") return;
  for (const Signature signature : product.signatures)
    if (signature == Signature::row)
      product.given.misfit(fmt::format(
          "{} follows a norm, which needs all features: batch, column or replicate", product.name));
}

}  // namespace

SignedCuts read_cuts(const GridSignatures& given) {
  SignedCuts cuts{.qkv = named(given, "qkv"),
                  .out = named(given, "out"),
                  .up = named(given, "up"),
                  .down = named(given, "down")};
  for (size_t side = 0; side < grid_sides; ++side) {
    const bool by_batch = cuts.qkv->signatures[side] == Signature::batch ||
                          cuts.up->signatures[side] == Signature::batch;
    cuts.stream[side] = by_batch ? Spread::batch : Spread::whole;
    cuts.table[side] = by_batch ? Signature::batch : Signature::column;
  }
  if (const Product* head = find(given, "head")) cuts.table = head->signatures;
  for (const Product& product : given.products) check(cuts, product);
  return cuts;
}

}  // namespace pipewright::transformer
