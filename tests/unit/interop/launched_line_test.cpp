#include "interop/launched_line.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pipewright::interop {
namespace {

TEST(WrittenLine, has_nothing_of_launchers_and_collectors) {
  const std::string line = "# nThread 1 nGpus 8";
  for (const std::string front :
       {"", "[1,0]<stdout>:", "[job@1,0]<stderr>:", "Wed May  1 12:00:00 2024[1,3]<stdout>:", "0:",
        "12: ", "[3] ", "node01: ", "2024-05-01T12:00:00.123456789Z ", "[pod/nccl-0/worker] ",
        "worker-1  | ", "2024-05-01T12:00:00Z [1,0]<stdout>:"})
    EXPECT_EQ(written_line(front + line), line) << front;
}

TEST(WrittenLine, has_no_colours) {
  EXPECT_EQ(written_line("\x1b[1;31m 1024\x1b[0m 256"), " 1024 256");
  EXPECT_EQ(written_line("cut \x1b[1"), "cut ");
}

TEST(WrittenLine, of_rows_and_of_nccl_are_as_they_stand) {
  for (const std::string line :
       {"  1024  256  float  sum  -1  10.0", "node01:71:71 [0] NCCL INFO Using network IB",
        "# Avg bus bandwidth    : 12.5", "2024", "[3]", ""})
    EXPECT_EQ(written_line(line), line);
}

}  // namespace
}  // namespace pipewright::interop
