#include "interop/nccl_shapes.hpp"

#include <gtest/gtest.h>

namespace pipewright::interop {
namespace {

TEST(NcclShapes, each_stands_once) {
  const std::vector<NcclPoint> points = {
      {.operation = "all_reduce", .ranks = 8, .bytes = Bytes{1}},
      {.operation = "all_reduce", .ranks = 8, .bytes = Bytes{2}},
      {.operation = "all_gather", .type = "half", .ranks = 16, .bytes = Bytes{1}}};
  EXPECT_EQ(shapes_text(points),
            "all_reduce over 8 ranks (float), all_gather over 16 ranks (half)");
  EXPECT_EQ(shapes_text({}), "");
}

}  // namespace
}  // namespace pipewright::interop
