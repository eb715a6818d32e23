#include "workload/transformer/signed_cuts.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::transformer::signed_cuts {
namespace {

using enum Signature;

GridSignatures given(const Signatures& qkv, const Signatures& up) {
  const Signatures any{batch, batch, batch};
  return {{{"qkv", qkv, {}}, {"out", any, {}}, {"up", up, {}}, {"down", any, {}}}, {}};
}

TEST(SignedCuts, the_stream_lies_by_batch_where_either_product_does) {
  const GridSignatures products = given({column, batch, column}, {column, column, batch});
  const SignedCuts cuts = read_cuts(products);
  EXPECT_EQ(cuts.stream, (Spreads{Spread::whole, Spread::batch, Spread::batch}));
  EXPECT_EQ(cuts.table, (Signatures{column, batch, batch}));
  EXPECT_TRUE(cuts.follows_norm(products.products[0]));
  EXPECT_FALSE(cuts.follows_norm(products.products[1]));
}

TEST(SignedCuts, a_head_says_how_the_tables_are_cut) {
  GridSignatures products = given({batch, batch, batch}, {batch, batch, batch});
  products.products.push_back({"head", {column, column, batch}, {}});
  EXPECT_EQ(read_cuts(products).table, (Signatures{column, column, batch}));
}

TEST(SignedCuts, what_follows_a_norm_is_not_cut_by_rows) {
  EXPECT_NE(test::error_of([] {
              read_cuts(given({batch, batch, batch}, {row, batch, batch}));
            }).find("up follows a norm, which needs all features"),
            std::string::npos);
  EXPECT_NE(test::error_of([] { read_cuts({}); }).find("are a map: {qkv: ..."), std::string::npos);
}

}  // namespace
}  // namespace pipewright::transformer::signed_cuts
