#include "experiment/anchor.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright {
namespace {

using test::error_of;

constexpr const char* written = R"(schema: pipewright.anchor/1
framework: megatron
device: h100-sxm
runs: 2
nodes: 4
factors: {kernels: 1.1, network: 0.9, host: 1}
covariance: [1, 2, 3, 2, 4, 5, 3, 5, 6]
)";

config::Value document() { return config::parse(written, "a.yaml"); }

TEST(ReadAnchor, has_what_is_written) {
  const Anchor anchor = read_anchor(document());
  EXPECT_EQ(anchor.framework, "megatron");
  EXPECT_EQ(anchor.device, "h100-sxm");
  EXPECT_EQ(anchor.runs, 2);
  EXPECT_EQ(anchor.factors, (AnchorParts{1.1, 0.9, 1}));
  EXPECT_EQ(anchor.covariance[1], (AnchorParts{2, 4, 5}));
}

TEST(ReadAnchor, what_is_written_is_read_again) {
  const Anchor anchor = read_anchor(document());
  const Anchor again = read_anchor(anchor_document(AnchorFit{anchor, {{"a: b", 1, 2, 3}}}));
  EXPECT_EQ(again.factors, anchor.factors);
  EXPECT_EQ(again.covariance, anchor.covariance);
  EXPECT_EQ(again.device, anchor.device);
}

// A run of ten million times what was predicted leaves variances of thousands.
TEST(ReadAnchor, what_is_written_of_runs_that_nothing_explains_is_read_again) {
  Anchor anchor = read_anchor(document());
  anchor.covariance[2][2] = 2500;
  EXPECT_EQ(read_anchor(anchor_document(anchor)).covariance, anchor.covariance);
}

TEST(ReadAnchor, what_is_wrong_has_its_place) {
  const auto said = [](const char* key, const char* value) {
    config::Value changed = document();
    changed.set(key, config::parse(value, "b.yaml"));
    return error_of([&] { read_anchor(changed); });
  };
  EXPECT_NE(said("covariance", "[1, 2]").find("must be a list of 9 numbers"), std::string::npos);
  EXPECT_NE(
      said("covariance", "[-1, 0, 0, 0, 1, 0, 0, 0, 1]").find("b.yaml:1:2: error: a variance"),
      std::string::npos);
  EXPECT_NE(
      said("covariance", "[1, 2, 0, 3, 1, 0, 0, 0, 1]").find("b.yaml:1:5: error: must be the"),
      std::string::npos);
  EXPECT_NE(said("schema", "pipewright.anchor/9").find("pipewright.anchor/1"), std::string::npos);
  EXPECT_NE(said("factors", "{kernels: 0, network: 1, host: 1}").find("b.yaml:1:11"),
            std::string::npos);
  EXPECT_NE(said("factors", "{kernels: 1, network: 1}").find("host"), std::string::npos);
}

}  // namespace
}  // namespace pipewright
