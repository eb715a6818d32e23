#include "convert/torchtitan/modules.hpp"

#include <gtest/gtest.h>

#include "convert/job/toml.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::vector<int> counts(const std::string& parts, int64_t layers) {
  return torchtitan::read_modules(*job::read_toml("a = " + parts, "j.toml").find("a"), layers);
}

TEST(TorchtitanModules, layers_are_counted_by_stage) {
  EXPECT_EQ(
      counts(R"([["tok_embeddings", "layers.0"], ["layers.1", "layers.2", "norm", "output"]])", 3),
      (std::vector<int>{1, 2}));
  EXPECT_EQ(counts(R"([["tok_embeddings"], ["layers.0"]])", 1), (std::vector<int>{0, 1}));
}

TEST(TorchtitanModules, layers_are_all_there_and_in_order) {
  EXPECT_EQ(error_of([] { counts(R"([["layers.1"]])", 2); }),
            "j.toml:1:7: error: 'layers.1' is out of order: layers.0 comes next");
  EXPECT_EQ(error_of([] { counts(R"([["layers.0"]])", 2); }),
            "j.toml:1:5: error: names 1 layers, and the model has 2");
}

TEST(TorchtitanModules, what_is_written_is_read) {
  EXPECT_EQ(torchtitan::module_names({1, 0, 2}),
            "[\n  [\"tok_embeddings\", \"layers.0\"],\n  [],\n"
            "  [\"layers.1\", \"layers.2\", \"norm\", \"output\"],\n]");
  EXPECT_EQ(counts(torchtitan::module_names({4, 0, 3}), 7), (std::vector<int>{4, 0, 3}));
}

}  // namespace
}  // namespace pipewright::test
