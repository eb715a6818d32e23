#include "diagnose/trace_files.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

TEST(TraceFiles, a_file_is_known_by_its_beginning) {
  const TemporaryFolder folder;
  const std::string torch = folder.write("t", " \n" + TorchTrace().kernel("k", 0, 1, 0).text());
  EXPECT_EQ(diagnose::diagnose_files({torch}).steps.size(), 1u);
  const std::string table =
      folder.write("t.csv",
                   "dp_rank,stage,step,op,model_chunk,microbatch,sequence,start_s,duration_s\n"
                   "0,0,4,forward-compute,0,0,0,0,1\n");
  EXPECT_EQ(diagnose::diagnose_files({table}).steps[0].number, 4);
  EXPECT_NE(error_of([&] {
              diagnose::diagnose_files({torch, table});
            }).find("this is no trace of PyTorch"),
            std::string::npos);
}

TEST(TraceFiles, a_folder_stands_for_its_traces) {
  const TemporaryFolder folder;
  folder.write("notes.txt", "x");
  EXPECT_NE(error_of([&] {
              diagnose::diagnose_files({folder.path()});
            }).find("no file of this folder is called *.json, *.json.gz or *.sqlite"),
            std::string::npos);
  folder.write("0.json", TorchTrace().kernel("k", 0, 1, 0).text());
  EXPECT_EQ(diagnose::diagnose_files({folder.path()}).steps.size(), 1u);
}

TEST(TraceFiles, two_tables_folders_or_traces_of_one_rank_are_two_runs) {
  const TemporaryFolder folder;
  const auto torch = [&](const char* name, int rank, int world) {
    return folder.write(name, TorchTrace().kernel("k", 0, 1, 0).text(rank, world));
  };
  const std::string a = torch("x/a.json", 3, 8), b = torch("y/b.json", 3, 8);
  const std::string c = torch("y/c.json", 4, 8);
  const std::string table = folder.write("t.csv", "dp_rank,stage\n");
  EXPECT_EQ(diagnose::runs_of({a, b}).before, std::vector{a});
  EXPECT_EQ(diagnose::runs_of({a, b}).after, std::vector{b});
  EXPECT_TRUE(diagnose::runs_of({b, c}).before.empty());
  EXPECT_TRUE(diagnose::runs_of({a, b, c}).before.empty());
  EXPECT_EQ(diagnose::runs_of({table, table}).after, std::vector{table});
  EXPECT_TRUE(diagnose::runs_of({table, a}).before.empty());
  const std::string x = folder.path() + "/x", y = folder.path() + "/y";
  EXPECT_EQ(diagnose::runs_of({x, y}).before, std::vector{x});
  EXPECT_TRUE(diagnose::runs_of({x, c}).before.empty());
}

}  // namespace
}  // namespace pipewright::test
