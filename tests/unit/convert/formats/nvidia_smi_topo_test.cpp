#include <gtest/gtest.h>

#include "convert/formats/format.hpp"

namespace pipewright::test {
namespace {

TEST(NvidiaSmiTopoFormat, knows_its_files_from_others) {
  const convert::Format* format = convert::find_format("nvidia-smi-topo");
  ASSERT_TRUE(format);
  EXPECT_TRUE(
      format->recognises("$ nvidia-smi topo -m\n\t\x1b[4mGPU0\tGPU1\tCPU Affinity\x1b[0m\n"
                         "GPU0\t X \tPHB\t0-7\n",
                         "topo.txt"));
  EXPECT_FALSE(format->recognises("GPU0 and GPU1 are GPUs\n", "other.txt"));
}

}  // namespace
}  // namespace pipewright::test
