#include "interop/operation_table.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

const std::string head =
    "dp_rank,stage,step,op,model_chunk,microbatch,sequence,start_s,duration_s\n";

TEST(OperationTable, a_line_is_an_operation) {
  const TemporaryFolder folder;
  const auto all =
      read_operation_table(folder.write("t.csv", head + "1,2,30,backward-send,-1,4,5,0.5,0.25\n"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].dp_rank, 1);
  EXPECT_EQ(all[0].stage, 2);
  EXPECT_EQ(all[0].step, 30);
  EXPECT_EQ(all[0].kind, OperationKind::backward_send);
  EXPECT_EQ(all[0].chunk, -1);
  EXPECT_EQ(all[0].micro_batch, 4);
  EXPECT_EQ(all[0].sequence, 5);
  EXPECT_EQ(all[0].end(), milliseconds(750));
}

TEST(OperationTable, columns_may_stand_in_any_order) {
  const TemporaryFolder folder;
  const auto all = read_operation_table(
      folder.write("t.csv",
                   "op,start_s,duration_s,dp_rank,stage,step,model_chunk,microbatch,sequence\n"
                   "gc,1,2,0,3,4,-1,-1,0\n"));
  EXPECT_EQ(all[0].kind, OperationKind::gc);
  EXPECT_EQ(all[0].stage, 3);
  EXPECT_EQ(all[0].start, seconds(1));
}

TEST(OperationTable, what_is_wrong_has_its_place) {
  const TemporaryFolder folder;
  const auto said = [&](const std::string& text) {
    const std::string path = folder.write("t.csv", text);
    const std::string error = error_of([&] { read_operation_table(path); });
    return error.substr(std::min(error.size(), path.size()));
  };
  EXPECT_EQ(said(""), ":1:1: error: this file is empty");
  EXPECT_EQ(said(head), ":1:1: error: this table has no operation");
  EXPECT_EQ(said(head + "0,0,0,gc,0,0,0,0\n"), ":2:1: error: a line has 9 columns, this one has 8");
  EXPECT_EQ(said(head + "0,x,0,gc,0,0,0,0,0\n"),
            ":2:3: error: stage 'x' must be a whole number from 0 to 1048576");
  EXPECT_EQ(said(head + "0,0,0,gc,0,0,0,nan,0\n").substr(0, 27), ":2:16: error: start_s 'nan'");
  EXPECT_EQ(said(head + "0,0,0,forward,0,0,0,0,0\n").substr(0, 33),
            ":2:7: error: unknown op 'forward'");
}

TEST(OperationTable, every_kind_has_a_name_that_is_read) {
  const TemporaryFolder folder;
  std::string text = head;
  for (int kind = 0; kind < operation_kinds; ++kind)
    text += "0,0,0," + std::string(name_of(static_cast<OperationKind>(kind))) + ",0,0,0,0,0\n";
  const auto all = read_operation_table(folder.write("t.csv", text));
  for (int kind = 0; kind < operation_kinds; ++kind)
    EXPECT_EQ(all[static_cast<size_t>(kind)].kind, static_cast<OperationKind>(kind));
}

}  // namespace
}  // namespace pipewright::test
