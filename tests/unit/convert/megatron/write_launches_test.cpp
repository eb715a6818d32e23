#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriteLaunches, graphs_are_named_as_megatron_names_them) {
  const auto launches = [](const std::string& value) {
    return lines_of(megatron::write_launches, small_experiment + "launches: " + value + "\n");
  };
  EXPECT_EQ(launches("ahead"), "");
  EXPECT_EQ(launches("{graphs: [attn, mlp]}"),
            "--cuda-graph-impl transformer_engine\n--cuda-graph-modules attn mlp\n");
  EXPECT_EQ(launches("{graphs: [layer], capture: local}"), "--cuda-graph-impl local\n");
  EXPECT_EQ(launches("{graphs: [iteration]}"),
            "--cuda-graph-impl full_iteration\n--no-check-for-nan-in-loss-and-grad\n");
  EXPECT_EQ(launches("graph"),
            "--cuda-graph-impl full_iteration\n--no-check-for-nan-in-loss-and-grad\n"
            "--optimizer-cuda-graph\n");
}

}  // namespace
}  // namespace pipewright::test
