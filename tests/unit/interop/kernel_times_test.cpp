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

std::vector<KernelTimes> times_in(const std::string& text) {
  const TemporaryFolder folder;
  return read_kineto({folder.write("t.json", text)});
}

TEST(KernelTimes, kineto_gives_kernels_and_no_operators) {
  EXPECT_EQ(csv_of(times_in(trace)),
            "kernel,launches,total_s,median_s,min_s,max_s\n"
            "\"gemm<a, b>\",2,4e-05,2e-05,1e-05,3e-05\n"
            "relu,1,5e-06,5e-06,5e-06,5e-06\n");
}

TEST(KernelTimes, kernels_of_several_traces_are_counted_together) {
  const TemporaryFolder folder;
  const std::string one = folder.write("0.json", trace), two = folder.write("1.json", trace);
  const std::vector<KernelTimes> kernels = read_kineto({one, two});
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].seconds.size(), 4u);
}

TEST(KernelTimes, what_is_no_trace_is_an_error_with_its_place) {
  EXPECT_NE(error_of([] { times_in("{\n  \"a\": ,"); }).find("t.json"), std::string::npos);
  EXPECT_NE(error_of([] { times_in("{}"); }), "no error");
  EXPECT_NE(error_of([] { times_in("[]"); }).find("no kernel is in this trace"), std::string::npos);
  EXPECT_NE(
      error_of([] { times_in("[\n{\"cat\": \"kernel\"}]"); }).find("t.json:2: error: this kernel"),
      std::string::npos);
  EXPECT_NE(error_of([] { times_in(R"([{"cat": "kernel", "name": "a", "dur": 3e999}])"); }),
            "no error");
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
