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
            }).find("this is none"),
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

}  // namespace
}  // namespace pipewright::test
