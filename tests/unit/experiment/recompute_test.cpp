#include "experiment/readers.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

Recompute read_parts(const char* text) { return read_recompute(config::parse(text, "x.yaml")); }

TEST(Recompute, is_read_in_all_its_forms) {
  EXPECT_FALSE(read_parts("none").any());
  EXPECT_EQ(read_parts("selective").parts, parts_of({Part::attention}));
  EXPECT_TRUE(read_parts("full").block);
  EXPECT_EQ(read_parts("full").blocks, -1);
  EXPECT_EQ(read_parts("{layers: 12}").blocks, 12);
  EXPECT_EQ(read_parts("{products: 2}").products, 2);
  const Recompute ops = read_parts("{ops: [mlp, layernorm]}");
  EXPECT_TRUE(ops.runs(Part::mlp) && ops.runs(Part::experts) && ops.runs(Part::norm));
  EXPECT_FALSE(ops.runs(Part::attention) || ops.block);
}

TEST(Recompute, modules_are_narrower_than_operations) {
  EXPECT_EQ(read_parts("{modules: [core_attn]}").parts, parts_of({Part::attention}));
  EXPECT_EQ(read_parts("{modules: [layernorm]}").parts, parts_of({Part::norm}));
  EXPECT_EQ(read_parts("{modules: [mlp]}").parts, parts_of({Part::mlp}));
  EXPECT_EQ(read_parts("{modules: [moe]}").parts | read_parts("{modules: [mlp]}").parts,
            read_parts("{ops: [mlp]}").parts);
  EXPECT_EQ(read_parts("{modules: [mla_up_proj, moe_act, shared_experts]}").parts,
            parts_of({Part::latent, Part::expert_activation, Part::shared_experts}));
}

TEST(Recompute, mistakes_say_what_would_be_right) {
  EXPECT_EQ(error_of([] { read_parts("ful"); }),
            "x.yaml:1:1: error: 'ful' must be one of none, selective, full; did you mean 'full'?");
  EXPECT_EQ(error_of([] { read_parts("{}"); }),
            "x.yaml:1:1: error: must be {layers: N}, {ops: [...]}, {modules: [...]} or {products: "
            "N}, one of them");
  EXPECT_EQ(error_of([] { read_parts("{ops: mlp}"); }),
            "x.yaml:1:7: error: must be a list such as [attention, mlp, layernorm]");
}

}  // namespace
}  // namespace pipewright::test
