#include "convert/nemo/packaged_recipes.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

// recipes/nemotron4_340b.py.
TEST(NemoPackagedRecipes, numbers_stand_where_they_belong) {
  const auto text = nemo::packaged_recipe("nemotron4_340b");
  ASSERT_TRUE(text.has_value());
  for (const char* said : {"num_nodes=768", "llm.Nemotron4Config340B", "tensor_parallelism=8",
                           "pipeline_parallelism=12", "virtual_pipeline_parallelism=8,",
                           "global_batch_size=2304", "sequence_parallelism=True"})
    EXPECT_NE(text->find(said), std::string::npos) << said;
}

}  // namespace
}  // namespace pipewright::test
