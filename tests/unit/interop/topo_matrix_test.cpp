// Matrices written by hand after outputs in NVIDIA/nccl's issues 933 and 1505, and of a server with
// two K80 of 2016: only the facts.
#include "interop/topo_matrix.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace pipewright::interop {
namespace {

TopoMatrix matrix_in(const std::string& text) { return read_topo_matrix(text, "t.txt"); }
std::string matrix_error(const std::string& text) {
  return test::error_of([&] { matrix_in(text); });
}

TEST(TopoMatrix, a_terminal_with_escapes_tabs_a_prompt_and_both_legends) {
  const TopoMatrix matrix = matrix_in(
      "user@node:~$ nvidia-smi topo -m\r\n"
      "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\r\n"
      "GPU0\t X \tNV12\tPXB\t48-63,176-191\t3\t\tN/A\r\n"
      "GPU1\tNV12\t X \tNODE\t16-31,144-159\t1\t\tN/A\r\n"
      "NIC0\tPXB\tNODE\t X \t\t\t\t\r\n\r\n"
      "Legend:\r\n\r\n  X    = Self\r\n  NV#  = Connection traversing a bonded set of # NVLinks\r\n"
      "\r\nNIC Legend:\r\n\r\n  NIC0: mlx5_3\r\n");
  ASSERT_EQ(matrix.things.size(), 3U);
  EXPECT_TRUE(matrix.things[1].gpu);
  EXPECT_EQ(matrix.things[1].cpus, "16-31,144-159");
  EXPECT_EQ(matrix.things[1].numa, "1");
  EXPECT_FALSE(matrix.things[2].gpu);
  EXPECT_EQ(matrix.things[2].name, "mlx5_3");
  EXPECT_EQ(matrix.paths[0][1], (TopoPath{PathKind::nvlink, 12}));
  EXPECT_EQ(matrix.paths[2][0], TopoPath{PathKind::pxb});
  EXPECT_EQ(matrix.paths[1][2], TopoPath{PathKind::node});
}

// NICs by their own names, one column of affinity, SOC for what is SYS now.
TEST(TopoMatrix, an_old_driver_with_spaces) {
  const TopoMatrix matrix = matrix_in(
      "        GPU0    GPU1    mlx4_0  CPU Affinity\n"
      "GPU0     X      PIX     SOC     0-11\n"
      "GPU1    PIX      X      PHB     0-11\n"
      "mlx4_0  SOC     PHB      X \n");
  EXPECT_EQ(matrix.things[2].name, "mlx4_0");
  EXPECT_EQ(matrix.paths[0][1], TopoPath{PathKind::pix});
  EXPECT_EQ(matrix.paths[0][2], TopoPath{PathKind::sys});
  EXPECT_EQ(matrix.paths[1][2], TopoPath{PathKind::phb});
  EXPECT_EQ(matrix.things[0].numa, "");
}

// A container that may use CPUs of one socket only: the other's affinity is empty.
TEST(TopoMatrix, an_empty_column_of_affinity) {
  const TopoMatrix matrix = matrix_in(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tNV18\t44-51\t0\t\tN/A\nGPU1\tNV18\t X \t\t1\t\tN/A\n");
  EXPECT_EQ(matrix.things[0].cpus, "44-51");
  EXPECT_EQ(matrix.things[0].numa, "0");
  EXPECT_EQ(matrix.things[1].cpus, "");
  EXPECT_EQ(matrix.things[1].numa, "1");
  EXPECT_FALSE(matrix.things[1].own_numa);
}

TEST(TopoMatrix, a_gpu_whose_memory_is_a_numa_node) {
  const TopoMatrix matrix = matrix_in(
      "        GPU0    CPU Affinity    NUMA Affinity   GPU NUMA ID\n"
      "GPU0     X      0-71    0,3-9,11-17             2\n");
  EXPECT_TRUE(matrix.things[0].own_numa);
  EXPECT_EQ(matrix.things[0].numa, "0,3-9,11-17");
}

TEST(TopoMatrix, other_lines_with_gpus_are_no_header) {
  EXPECT_TRUE(has_topo_matrix("GPU0: NVIDIA L40S\n\tGPU0\tCPU Affinity\nGPU0\t X \t0-7\n"));
  EXPECT_FALSE(has_topo_matrix("GPU0 is hot\nGPU1 is not\n"));
  EXPECT_FALSE(has_topo_matrix("\tGPU0\tGPU1\n"));
  EXPECT_FALSE(has_topo_matrix(""));
}

TEST(TopoMatrix, what_is_wrong_is_told_at_its_place) {
  EXPECT_EQ(matrix_error("nothing"),
            "t.txt: error: no matrix of 'nvidia-smi topo -m': it begins with a line of GPU0, GPU1, "
            "...");
  EXPECT_EQ(matrix_error("\tGPU0\tGPU1\nGPU0\t X \tGNS\n"),
            "t.txt:2:10: error: 'GNS' is no path of 'nvidia-smi topo -m': X, NV#, PIX, PXB, PHB, "
            "NODE or SYS");
  EXPECT_EQ(matrix_error(" GPU0 GPU1\nGPU0 X\nGPU1 SYS X\n"),
            "t.txt:2:6: error: the row of GPU0 has 1 paths, the header 2 GPUs and NICs");
  EXPECT_EQ(matrix_error(" GPU0 GPU1\nGPU0 X SYS\n"),
            "t.txt:2: error: the matrix ends before the row of GPU1");
  EXPECT_EQ(matrix_error(" GPU0 GPU1\nGPU0 X SYS\nGPU2 SYS X\n"),
            "t.txt:3:1: error: 'GPU2' where the row of GPU1 is due");
  EXPECT_EQ(matrix_error(" GPU0 GPU1\nGPU0 X SYS\nGPU1 PIX X\n"),
            "t.txt:3:6: error: the path of GPU1 to GPU0 is not that of GPU0 to GPU1");
  EXPECT_EQ(matrix_error(" GPU0 GPU1\nGPU0 X SYS\nGPU1 SYS SYS\n"),
            "t.txt:3:10: error: 'SYS' where the X of the diagonal is due");
  EXPECT_EQ(matrix_error(" GPU0 GPU1\nGPU0 X X\n"), "t.txt:2:8: error: an X off the diagonal");
  EXPECT_EQ(matrix_error(" GPU0 GPU0\nGPU0 X X\n"),
            "t.txt:1:7: error: 'GPU0' stands twice in the header");
  EXPECT_EQ(matrix_error(" GPU0 mlx\x01\nGPU0 X SYS\n"),
            "t.txt:1:7: error: a name in the header that is not of printable characters");
  EXPECT_NE(matrix_error(" GPU0 GPU1\nGPU0 X NV0\n").find("t.txt:2:8: error: 'NV0' is no path"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::interop
