#include "report/page/assumed.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Assumed, has_what_was_not_given_and_what_matters_most_first) {
  const config::Value experiment =
      config::parse("{schedule: 1f1b, iterations: 1, precision: bf16}", "x");
  EXPECT_EQ(assumed_json(experiment, config::parse("{schedule: 1f1b}", "x")),
            R"([{"key":"precision","value":"bf16","matters":true},)"
            R"({"key":"iterations","value":"1","matters":false}])");
}

TEST(Assumed, is_empty_where_all_was_given) {
  const config::Value experiment = config::parse("{schedule: 1f1b}", "x");
  EXPECT_EQ(assumed_json(experiment, experiment), "");
}

}  // namespace
}  // namespace pipewright
