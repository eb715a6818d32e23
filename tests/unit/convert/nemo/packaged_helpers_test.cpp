#include "convert/nemo/packaged_helpers.hpp"

#include <gtest/gtest.h>

#include "interop/python/program.hpp"

namespace pipewright::test {
namespace {

TEST(NemoPackagedHelpers, each_is_a_program) {
  for (const char* path : {"nemo/collections/llm/recipes/precision/mixed_precision.py",
                           "nemo/collections/llm/recipes/optim/adam.py",
                           "scripts/performance/utils.py", "scripts/performance/helpers.py"}) {
    const auto text = nemo::packaged_helper(path);
    ASSERT_TRUE(text.has_value()) << path;
    EXPECT_NO_THROW(interop::python::Program(*text, path, {})) << path;
  }
  EXPECT_FALSE(nemo::packaged_helper("scripts/performance/executors.py").has_value());
}

}  // namespace
}  // namespace pipewright::test
