#include "interop/pipedream.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::string stated_node(const std::string& id, const std::string& name, const std::string& times) {
  return id + " -- " + name + " -- " + times + "\n";
}

const std::string fast = "forward_compute_time=1.5, backward_compute_time=3.0, ";

std::vector<PipeDreamLayer> layers_in(const std::string& text) {
  return read_pipedream(text, "g.txt");
}

// node1 -> node2 -> node3, and node1 -> node3: what node1 gives crosses both cuts.
const std::string skip =
    stated_node("node1", "Conv(3, 64)", fast + "activation_size=100.0, parameter_size=400.000") +
    stated_node("node2", "ReLU", fast + "activation_size=[20.0; 5.0], parameter_size=0.000") +
    stated_node("node3", "Add", fast + "activation_size=7.0, parameter_size=0.000") +
    "\tnode1 -- node2\n\tnode2 -- node3\n\tnode1 -- node3\n";

TEST(PipeDream, nodes_are_layers) {
  const auto layers = layers_in(skip);
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[0].name, "Conv(3, 64)");
  EXPECT_EQ(layers[0].forward_ms, 1.5);
  EXPECT_EQ(layers[0].backward_ms, 3.0);
  EXPECT_EQ(layers[0].parameter_bytes, 400);
  EXPECT_EQ(layers[1].activation_bytes, 25);
}

TEST(PipeDream, a_cut_is_crossed_by_all_that_is_still_needed) {
  const auto layers = layers_in(skip);
  EXPECT_EQ(layers[0].boundary_bytes, 100);
  EXPECT_EQ(layers[1].boundary_bytes, 125);
  EXPECT_EQ(layers[2].boundary_bytes, 0);
}

TEST(PipeDream, layers_come_after_what_they_read) {
  const std::string zero = fast + "activation_size=1.0, parameter_size=0.000";
  const auto layers =
      layers_in(stated_node("b", "second", zero) + stated_node("a", "first", zero) + "\ta -- b\n");
  EXPECT_EQ(layers[0].name, "first");
  EXPECT_EQ(layers[1].name, "second");
}

TEST(PipeDream, nodes_that_do_nothing_are_no_layers) {
  const auto layers =
      layers_in(stated_node("node0", "Input0",
                            "forward_compute_time=0.000, backward_compute_time=0.000, "
                            "activation_size=0.0, parameter_size=0.000") +
                skip);
  EXPECT_EQ(layers.size(), 3u);
}

TEST(PipeDream, what_is_no_profile_names_its_line) {
  EXPECT_EQ(error_of([] { layers_in(skip + "\tnode1 -- node9\n"); }),
            "g.txt:7:1: error: there is no node 'node9' above");
  EXPECT_EQ(
      error_of([] { layers_in(skip + "\tnode3 -- node1\n"); }).find("cycle") == std::string::npos,
      false);
  for (const std::string& wrong :
       {std::string(), std::string("hello\n"), stated_node("n", "x", "forward_compute_time=1"),
        stated_node("n", "x",
                    "forward_compute_time=-1, backward_compute_time=1, activation_size=1, "
                    "parameter_size=1"),
        stated_node("n", "x", fast + "activation_size=[1.0; 2.0, parameter_size=1"), skip + skip})
    EXPECT_EQ(error_of([&] { layers_in(wrong); }).substr(0, 6), "g.txt:") << wrong;
}

}  // namespace
}  // namespace pipewright::test
