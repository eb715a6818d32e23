#include "interop/goal_writer.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "interop/goal.hpp"

namespace pipewright::goal {
namespace {

TEST(GoalWriter, writes_what_logGOPSim_reads) {
  std::ostringstream out;
  {
    Writer writer(out);
    writer.num_ranks(2);
    writer.begin_rank(0);
    const uint32_t calc = writer.calc(100, 0), send = writer.send(10, 1, 3, 1);
    writer.requires_end(send, calc);
    writer.end_rank();
    writer.begin_rank(1);
    const uint32_t recv = writer.recv(10, 0, 3, 1), beside = writer.calc(5, 0);
    writer.requires_start(beside, recv);
    writer.end_rank();
  }
  EXPECT_EQ(out.str(),
            "num_ranks 2\n\nrank 0 {\nl0: calc 100 cpu 0\nl1: send 10b to 1 tag 3 cpu 1\n"
            "l1 requires l0\n}\n\nrank 1 {\nl0: recv 10b from 0 tag 3 cpu 1\nl1: calc 5 cpu 0\n"
            "l1 irequires l0\n}\n");
}

TEST(GoalWriter, the_reader_reads_what_it_writes) {
  std::ostringstream out;
  Writer writer(out);
  writer.num_ranks(1);
  writer.begin_rank(0);
  uint32_t before = writer.calc(1, 0);
  for (int k = 0; k < 20000; ++k) {  // more than is written at once
    const uint32_t next = writer.calc(k, k % 3);
    writer.requires_end(next, before);
    before = next;
  }
  writer.end_rank();
  writer.flush();
  const Goal goal = parse(out.str(), "f");
  EXPECT_EQ(goal.ops.size(), 20001u);
  EXPECT_EQ(goal.dependencies.size(), 20000u);
  EXPECT_EQ(goal.ops.back().amount, 19999);
}

}  // namespace
}  // namespace pipewright::goal
