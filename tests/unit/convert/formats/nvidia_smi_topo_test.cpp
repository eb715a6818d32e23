#include <gtest/gtest.h>

#include <fstream>

#include "convert/formats/format.hpp"
#include "error_of.hpp"

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

// NVLink 3, of an A100, has 12 lanes.
TEST(NvidiaSmiTopoFormat, more_links_than_a_device_has_are_those_of_another) {
  const std::string file = testing::TempDir() + "topo.txt";
  std::ofstream(file) << "\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n";
  const auto import = [&](const char* device) {
    return convert::find_format("nvidia-smi-topo")
        ->reading.run({.file = file, .out = "-", .options = {{"device", {device}}}, .more = {}});
  };
  EXPECT_NE(error_of([&] { import("a100-sxm-80g"); }).find("NV18: a GPU with nvlink3 has 12"),
            std::string::npos);
  EXPECT_NE(import("h100-sxm").find("h100-sxm"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
