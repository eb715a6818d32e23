#include "workload/transformer/signed_places.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::transformer::signed_places {
namespace {

using enum Spread;

TEST(SignedPlaces, a_device_has_its_part_of_samples_and_features) {
  const TransformerShape shape = test::gpt(2, 64, 4, 128);
  const config::Value where;
  WorkloadOptions options{.micro_batch = 8, .sequence = 32};
  options.tensor_grid = {TensorKind::signatures, {4, 2, 1}};
  SignedPlaces places(shape, options, where);
  const Share& whole = places.at({Spread::whole, Spread::whole, Spread::whole});
  EXPECT_EQ(whole.tokens, 8 * 32);
  const Share& share = places.at({batch, features, Spread::whole});
  EXPECT_EQ(share.tokens, 2 * 32);
  EXPECT_EQ(share.options.tensor, 2);
  EXPECT_EQ(share.all_tokens, 8 * 32);
  EXPECT_EQ(&places.at({batch, features, Spread::whole}), &share);
}

TEST(SignedPlaces, samples_are_not_cut_further_than_there_are) {
  const TransformerShape shape = test::gpt(2, 64, 4, 128);
  const config::Value where;
  WorkloadOptions options{.micro_batch = 2, .sequence = 32};
  options.tensor_grid = {TensorKind::signatures, {4, 1, 1}};
  SignedPlaces places(shape, options, where);
  EXPECT_NE(test::error_of([&] {
              places.at({batch, batch, batch});
            }).find("sbp cuts batch.micro 2 in 4"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::transformer::signed_places
