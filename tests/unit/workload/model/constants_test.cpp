#include "workload/model/constants.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "workload/model/model.hpp"

namespace pipewright::test {
namespace {

const std::string sizes =
    "transformer: {layers: 2, hidden: 256, heads: 4, vocabulary: 1024, "
    "positions: rope}\n";

std::string keys_of(const std::string& constants) {
  const config::Value model = config::parse(sizes + "constants: " + constants + "\n", "m.yaml");
  std::string text;
  for (const ModelConstant& one : constants_of(model, read_model(model).transformer))
    text += one.key + ' ' + one.said.text + '\n';
  return text;
}

TEST(Constants, of_a_model_map_are_those_of_hugging_face) {
  EXPECT_EQ(keys_of("{rope_theta: 500000, initializer_range: 0.02}"),
            "rope_theta 500000\ninitializer_range 0.02\n");
  // This model has no experts, and rotates all of a head.
  EXPECT_EQ(keys_of("{router_aux_loss_coef: 0.01, partial_rotary_factor: 1.0}"), "");
  EXPECT_EQ(keys_of("{rope_parameters: {rope_type: linear, factor: 2, rope_theta: 1000}}"),
            "rope_theta 1000\nrope_parameters \n");
}

TEST(Constants, that_nobody_knows_are_refused_with_their_nearest) {
  EXPECT_NE(error_of([] { keys_of("{rope_thet: 1}"); }).find("did you mean 'rope_theta'"),
            std::string::npos);
  EXPECT_NE(error_of([] { keys_of("{rope_theta: much}"); }).find("m.yaml:2:25"), std::string::npos);
  EXPECT_NE(error_of([] { keys_of("{rope_scaling: 2}"); }).find("must be a map"),
            std::string::npos);
  const config::Value layers =
      config::parse("layers: [{forward: 1 ms, backward: 1 ms}]\nconstants: {}\n", "m.yaml");
  EXPECT_NE(error_of([&] { read_model(layers); }).find("only a transformer has constants"),
            std::string::npos);
}

TEST(Constants, a_format_of_fp8_is_one_that_there_is) {
  EXPECT_EQ(keys_of("{fp8_format: e4m3}"), "fp8_format e4m3\n");
  EXPECT_NE(error_of([] { keys_of("{fp8_format: e3m4}"); }).find("must be one of e4m3, hybrid"),
            std::string::npos);
}

TEST(Constants, have_a_first_name) {
  EXPECT_EQ(name_of(Constant::rotary_base), "rope_theta");
  EXPECT_EQ(name_of(Constant::rotary_scaling), "rope_scaling");
}

}  // namespace
}  // namespace pipewright::test
