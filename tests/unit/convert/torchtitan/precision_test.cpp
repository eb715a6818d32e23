#include "convert/torchtitan/precision.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "convert/torchtitan/keys.hpp"
#include "error_of.hpp"
#include "job_settings.hpp"

namespace pipewright::test {
namespace {

config::Value precision(const std::string& text) {
  JobSettings job(text);
  return torchtitan::read_precision(job.settings);
}

TEST(TorchtitanPrecision, is_bf16_unless_something_else_is_said) {
  EXPECT_EQ(precision("").text, "bf16");
  EXPECT_EQ(precision("[training]\nmixed_precision_param = \"float32\"\n").text, "fp32");
}

// maybe_enable_amp() of torchtitan v0.2.2: tensor ranks without FSDP compute as weights are.
TEST(TorchtitanPrecision, is_that_of_the_weights_where_nothing_mixes) {
  JobSettings job(""), narrow("[training]\ndtype = \"bfloat16\"\n");
  EXPECT_EQ(torchtitan::read_precision(job.settings, false).text, "fp32");
  EXPECT_EQ(job.import.assumed.size(), 1U);
  EXPECT_EQ(torchtitan::read_precision(narrow.settings, false).text, "bf16");
}

TEST(TorchtitanPrecision, fp8_is_said_by_converters_and_once_was_by_keys) {
  EXPECT_EQ(at(precision("[model]\nconverters = [\"float8\"]\n"), {"fp8"}), "tensorwise");
  EXPECT_EQ(at(precision("[model]\nconverters = \"float8,mx\"\n"), {"fp8"}), "mxfp8");
  EXPECT_EQ(at(precision("[model]\nconverters = \"float8\"\n"), {"fp8"}), "tensorwise");
  EXPECT_EQ(precision("[model]\nconverters = \"\"\n").text, "bf16");
  EXPECT_EQ(at(precision("[model]\nconverters = [\"mx\"]\n"), {"fp8"}), "mxfp8");
  EXPECT_EQ(at(precision("[training]\nenable_fp8_linear = true\n"), {"fp8"}), "tensorwise");
  EXPECT_EQ(at(precision("[training]\nfp8_linear = \"delayed\"\n"), {"fp8"}), "delayed");
  EXPECT_NE(
      error_of([] {
        precision("[model]\nconverters = [\"float8\"]\n[float8]\nrecipe_name = \"rowwise\"\n");
      }).find("rowwise cannot be said"),
      std::string::npos);
}

TEST(TorchtitanPrecision, weights_of_bf16_narrow_gradients_and_moments_too) {
  const auto weights = [](const std::string& keys) {
    JobSettings job("[training]\n" + keys);
    config::Value e;
    e.kind = config::Value::Kind::map;
    torchtitan::read_weights(job.settings, e);
    return e;
  };
  EXPECT_TRUE(weights("dtype = \"float32\"\n").entries.empty());
  const config::Value all =
      weights("dtype = \"bfloat16\"\nmixed_precision_reduce = \"bfloat16\"\n");
  EXPECT_EQ(at(all, {"master_weights"}), "none");
  EXPECT_EQ(at(all, {"moments"}), "bf16");
  EXPECT_EQ(at(all, {"gradients"}), "bf16");
  EXPECT_EQ(at(weights("dtype = \"bfloat16\"\n"), {"gradients"}), "fp32");
  EXPECT_NE(error_of([&] { weights("mixed_precision_reduce = \"bfloat16\"\n"); }).find("bfloat16"),
            std::string::npos);
}

TEST(TorchtitanPrecision, what_stays_out_of_fp8_is_noted_where_it_is_taken_otherwise) {
  const auto notes = [](const std::string& names) {
    JobSettings job("[model]\nconverters = [\"float8\"]\n[float8]\nfilter_fqns = " + names + "\n");
    torchtitan::read_precision(job.settings);
    return job.import.slight.size();
  };
  EXPECT_EQ(notes("[\"output\"]"), 0U);
  EXPECT_EQ(notes("[\"output\", \"router.gate\"]"), 0U);
  EXPECT_EQ(notes("[]"), 1U);
  EXPECT_EQ(notes("[\"output\", \"attention.wk\"]"), 1U);
}

TEST(TorchtitanPrecision, weights_are_gathered_in_fp8_where_fsdp_cuts_them) {
  const auto gathered = [](const std::string& zero, const std::string& precision) {
    JobSettings job("[quantize.linear.float8]\nenable_fsdp_float8_all_gather = true\n");
    config::Value e =
        config::parse("{parallel: {zero: " + zero + "}, precision: " + precision + "}", "e.yaml");
    torchtitan::read_gathered(job.settings, e);
    return at(e, {"parallel", "gathered"});
  };
  EXPECT_EQ(gathered("3", "{fp8: tensorwise}"), "fp8");
  EXPECT_EQ(gathered("0", "{fp8: tensorwise}"), "none");
  EXPECT_EQ(gathered("3", "bf16"), "none");
}

TEST(TorchtitanPrecision, a_section_without_its_converter_quantises_nothing) {
  JobSettings job("[quantize.linear.float8]\nfilter_fqns = [\"output\"]\n");
  EXPECT_EQ(torchtitan::read_precision(job.settings).text, "bf16");
  job.settings.review(torchtitan::other_keys(), "torchtitan");
  EXPECT_TRUE(job.import.slight.empty());
  ASSERT_EQ(job.import.unused.size(), 1U);
  EXPECT_NE(job.import.unused[0].find("model.converters"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
