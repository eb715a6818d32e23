// How a block's products are cut over a grid, and how what is between them lies.
#pragma once

#include "workload/signatures.hpp"

namespace pipewright::transformer {

struct SignedCuts {
  using Product = GridSignatures::Product;

  const Product *qkv = nullptr, *out = nullptr, *up = nullptr, *down = nullptr;
  Spreads stream{};    ///< of the residual stream
  Signatures table{};  ///< of embedding and head

  /// Returns whether a product takes the normed stream, which needs whole rows.
  bool follows_norm(const Product& product) const { return &product == qkv || &product == up; }
};

/// Reads the cuts, which refer to `given`. Throws InputError where a product has none, and Misfit
/// at one that a norm does not allow.
SignedCuts read_cuts(const GridSignatures& given);

}  // namespace pipewright::transformer
