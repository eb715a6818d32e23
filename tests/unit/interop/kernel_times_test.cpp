#include "interop/kernel_times.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "error_of.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

const std::string trace =
    R"({"traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "gemm<a, b>", "ts": 1, "dur": 30},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 99},
  {"ph": "X", "cat": "kernel", "name": "relu", "ts": 40, "dur": 5},
  {"ph": "X", "cat": "kernel", "name": "gemm<a, b>", "ts": 50, "dur": 10},
  {"ph": "M", "name": "process_name"}]})";

TEST(KernelTimes, kineto_gives_kernels_and_no_operators) {
  EXPECT_EQ(csv_of(read_kineto(trace, "t.json")),
            "kernel,launches,total_s,median_s,min_s,max_s\n"
            "\"gemm<a, b>\",2,4e-05,2e-05,1e-05,3e-05\n"
            "relu,1,5e-06,5e-06,5e-06,5e-06\n");
}

TEST(KernelTimes, what_is_no_trace_names_its_place) {
  EXPECT_EQ(error_of([] { read_kineto("{\n  \"a\": ,", "t.json"); }),
            "t.json:2:8: error: this is no JSON");
  EXPECT_EQ(error_of([] { read_kineto("{}", "t.json"); }).substr(0, 11), "t.json:1:1:");
  EXPECT_EQ(error_of([] { read_kineto("[]", "t.json"); }),
            "t.json: error: no kernel is in this trace");
  EXPECT_NE(error_of([] { read_kineto(R"([{"cat": "kernel"}])", "t.json"); }), "no error");
  EXPECT_EQ(error_of([] { read_kineto(R"([{"dur": 3e999}])", "t.json"); }),
            "t.json: error: a number of this trace is beyond what a double holds");
}

TEST(KernelTimes, nsys_joins_kernels_with_their_names) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/x.sqlite";
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db,
                         "CREATE TABLE StringIds (id INTEGER, value TEXT);"
                         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, "
                         "demangledName INTEGER);"
                         "INSERT INTO StringIds VALUES (7, 'gemm'), (8, 'relu');"
                         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 2100, 7), "
                         "(3000, 3500, 8), (4000, 5000, 7);",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  EXPECT_EQ(csv_of(read_nsys(file)),
            "kernel,launches,total_s,median_s,min_s,max_s\n"
            "gemm,2,3e-06,1.5e-06,1e-06,2e-06\n"
            "relu,1,5e-07,5e-07,5e-07,5e-07\n");
}

TEST(KernelTimes, another_database_is_no_export) {
  EXPECT_NE(error_of([] { read_nsys("/nowhere/x.sqlite"); }), "no error");
  EXPECT_NE(error_of([] { read_nsys("/dev/null"); }).find("Nsight"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
