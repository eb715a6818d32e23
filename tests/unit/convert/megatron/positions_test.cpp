#include "convert/megatron/positions.hpp"

#include <gtest/gtest.h>

#include "convert/job/settings.hpp"
#include "convert/megatron/writer.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronPositions, the_last_argument_of_a_script_is_found) {
  EXPECT_EQ(megatron::last_position("echo $A ${B}"), 0);
  EXPECT_EQ(megatron::last_position("A=$1\nB=${12}x\nC=$3"), 12);
  EXPECT_EQ(megatron::last_position("$25"), 2);  // Bash has ${2}5 there
}

// Arguments of the script that stand in those of Megatron-LM are not handed on a second time.
TEST(MegatronPositions, arguments_stay_where_the_script_had_them) {
  const std::string script = megatron::write_script(
      experiment_of(small_experiment), config::parse("{save: '${1}/x', load: '${3}'}", "a.yaml"));
  EXPECT_NE(script.find("--save \"${1}/x\"\n"), std::string::npos) << script;
  EXPECT_NE(script.find("--load \"${3}\"\n"), std::string::npos);
  EXPECT_NE(script.find("\"${ARGS[@]}\" \"${@:4}\"\n"), std::string::npos);
  EXPECT_NE(script.find("takes its first 3 arguments"), std::string::npos);
  EXPECT_NE(megatron::write_script(experiment_of(small_experiment)).find("\"${ARGS[@]}\" \"$@\"\n"),
            std::string::npos);
}

TEST(MegatronPositions, a_document_takes_none) {
  EXPECT_EQ(job::written(megatron::without_positions(config::parse(
                "{lr: 1, save: '$2', data-path: [1, '${3}'], environment: {NCCL_X: '$1', A: b}}",
                "a.yaml"))),
            "{lr: 1, environment: {A: b}}");
}

}  // namespace
}  // namespace pipewright::test
