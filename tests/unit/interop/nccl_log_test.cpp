#include <gtest/gtest.h>

#include "error_of.hpp"
#include "interop/nccl_points.hpp"

namespace pipewright::interop {
namespace {

constexpr const char* header =
    "# nThread 1 nGpus 4 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5 iters: 20\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid  71 on   node1 device  0 [0x07] NVIDIA A100-SXM4-80GB\n"
    "#  Rank  1 Group  0 Pid  71 on   node1 device  1 [0x0b] NVIDIA A100-SXM4-80GB\n"
    "#  Rank  2 Group  0 Pid  72 on   node2 device  0 [0x07] NVIDIA A100-SXM4-80GB\n"
    "#  Rank  3 Group  0 Pid  72 on   node2 device  1 [0x0b] NVIDIA A100-SXM4-80GB\n"
    "#\n"
    "#                                                    out-of-place               in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    "  algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
    " (GB/s)  (GB/s)\n";

// Four ranks: an all-reduce has a bus bandwidth of 6/4 of its algorithm's.
std::string all_reduce_log() {
  return std::string(header) +
         "        1024           256     float     sum      -1    20.48    0.05    0.08      0    "
         "10.24    0.10    0.15      0\n"
         "node1:71:71 [0] NCCL INFO comm 0x55 rank 0 nranks 4 - Init COMPLETE\n"
         "        2048           512     float     sum      -1     20.0    2.00    3.00    N/A    "
         "10.00    4.00    6.00    N/A\r\n"
         "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1.5\n";
}

TEST(NcclLog, rows_give_sizes_and_both_times) {
  const std::vector<NcclPoint> points = read_nccl_log(all_reduce_log(), "x.log");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].bytes, KiB);
  EXPECT_NEAR(points[0].time_s, 20.48e-6, 1e-12);
  EXPECT_NEAR(points[0].in_place_s.value_or(0), 10.24e-6, 1e-12);
  EXPECT_EQ(points[1].bytes, 2 * KiB);
}

// Launchers put ranks, hosts and times in front of every line.
TEST(NcclLog, what_a_launcher_puts_in_front_is_taken_off) {
  for (const std::string label :
       {"[1,0]<stdout>:", "0: ", " 3:", "[3] ", "node01: ", "2024-05-01T12:00:00.5Z "}) {
    std::string labelled;
    std::string log = all_reduce_log();
    for (size_t at = 0; at < log.size();) {
      const size_t end = log.find('\n', at) + 1;
      labelled += label + log.substr(at, end - at);
      at = end;
    }
    const std::vector<NcclPoint> points = read_nccl_log(labelled, "x.log");
    ASSERT_EQ(points.size(), 2u) << label;
    EXPECT_EQ(points[1].bytes, 2 * KiB);
    EXPECT_EQ(points[0].nodes, 2);
  }
}

TEST(NcclLog, several_runs_may_stand_in_one_file) {
  const std::string gather = "# Collective test starting: all_gather_perf\n" + std::string(header) +
                             " 4096 128 float none -1 30.0 0.14 0.10 0 30.0 0.14 0.10 0\n";
  const std::vector<NcclPoint> points = read_nccl_log(all_reduce_log() + gather, "x.log");
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].operation, "all_reduce");
  EXPECT_EQ(points[2].operation, "all_gather");
  EXPECT_EQ(points[2].ranks, 4);
}

TEST(NcclLog, times_of_wrong_results_are_refused) {
  const auto refusal = [](const std::string& row) {
    return test::error_of([&] { read_nccl_log(header + row, "x.log"); });
  };
  for (const char* row : {" 1024 256 float sum -1 20.48 0.05 0.08 5 10.24 0.10 0.15 0\n",
                          " 1024 256 float sum -1 20.48 0.05 0.08 0 10.24 0.10 0.15 5\n"})
    EXPECT_EQ(
        refusal(row),
        "x.log:11:1: error: 5 results of this row are wrong (#wrong), and its times say nothing");
}

TEST(NcclLog, rows_without_their_header_are_told) {
  EXPECT_EQ(
      test::error_of([] {
        read_nccl_log(
            "# nThread 1 nGpus 4\n"
            " 1024 256 float sum -1 20.48 0.05 0.08 0 10.24 0.10 0.15 0\n",
            "x.log");
      }),
      "x.log:2:1: error: no header says the columns of this row: the line that begins '#      "
      " size         count      type' must stand above it");
}

TEST(NcclLog, what_cannot_be_is_refused_at_its_line) {
  const auto refusal = [](const std::string& rows) {
    return test::error_of([&] { read_nccl_log(header + rows, "x.log"); });
  };
  EXPECT_EQ(refusal(" 1024 256 float sum -1 0.00 0.00 0.00 0 1 1 1 0\n"),
            "x.log:11:1: error: 1024 bytes in no time");
  EXPECT_EQ(refusal(" 1024 256 float sum -1 20 0.05 0.08 0 1 1 1 0\n"
                    " 2048 256 float none -1 20 0.05 0.08 0 1 1 1 0\n"),
            "x.log:12:1: error: rows of several operations are mixed");
  EXPECT_NE(refusal(" 512 128 float sum -1 500 0.05 0.08 0 1 1 1 0\n"
                    " 1024 256 float sum -1 500 0.05 0.08 0 1 1 1 0\n"
                    " 2048 256 float sum -1 20 0.05 0.08 0 1 1 1 0\n")
                .find("x.log:13:1: error: 2048 bytes take 20 us"),
            std::string::npos);
}

TEST(NcclLog, ranks_hosts_and_device_are_those_of_the_list_above_the_table) {
  const NcclPoint point = read_nccl_log(all_reduce_log(), "x.log")[0];
  EXPECT_EQ(point.ranks, 4);
  EXPECT_EQ(point.nodes, 2);
  EXPECT_EQ(point.device, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(point.type, "float");
  EXPECT_EQ(point.element_bytes, 4);
}

TEST(NcclLog, without_the_program_s_name_the_bandwidths_tell_the_operation) {
  EXPECT_EQ(read_nccl_log(all_reduce_log(), "x.log")[0].operation, "all_reduce");
  const std::string scattered =
      std::string(header) + " 2048 128 float sum -1 20.0 2.00 1.50 0 20.0 2.00 1.50 0\n";
  EXPECT_EQ(read_nccl_log(scattered, "x.log")[0].operation, "reduce_scatter");
}

TEST(NcclLog, the_program_s_name_tells_the_operation) {
  const std::string row = " 2048 128 float none -1 20.0 2.00 1.50 0 20.0 2.00 1.50 0\n";
  for (const auto& [program, operation] : {std::pair{"all_gather_perf", "all_gather"},
                                           {"alltoall_perf", "all_to_all"},
                                           {"sendrecv_perf", "send_recv"},
                                           {"broadcast_perf", "broadcast"},
                                           {"reduce_perf", "reduce"},
                                           {"reduce_scatter_perf", "reduce_scatter"},
                                           {"gather_perf", "gather"},
                                           {"scatter_perf", "scatter"},
                                           {"hypercube_perf", "hypercube"}}) {
    const std::string text = "# Collective test starting: " + std::string(program) + "\n";
    EXPECT_EQ(read_nccl_log(text + header + row, "x.log")[0].operation, operation);
  }
}

TEST(NcclLog, an_operation_that_cannot_be_told_is_an_error_that_says_what_helps) {
  const std::string gathered =
      std::string(header) + " 2048 128 float none -1 20.0 2.00 1.50 N/A 20.0 2.00 1.50 N/A\n";
  const std::string error = test::error_of([&] { read_nccl_log(gathered, "x.log"); });
  EXPECT_NE(error.find("x.log: error: the log does not say which operation"), std::string::npos);
}

// The bandwidths of two ranks are alike for all operations.
TEST(NcclLog, the_last_line_of_a_run_and_the_user_tell_the_operation_too) {
  const std::string gathered =
      std::string(header) + " 2048 128 float none -1 20.0 2.00 1.50 N/A 20.0 2.00 1.50 N/A\n";
  const std::string concluded = gathered + "# Collective test concluded: alltoall_perf\n";
  EXPECT_EQ(read_nccl_log(concluded, "x.log")[0].operation, "all_to_all");
  EXPECT_EQ(read_nccl_log(gathered, "x.log", {.operation = "send_recv"})[0].operation, "send_recv");
  const std::string two = "# Collective test starting: broadcast_perf\n" + concluded;
  EXPECT_EQ(read_nccl_log(two, "x.log")[0].operation, "broadcast");
}

/// The log without its list of ranks.
std::string all_reduce_table() {
  return all_reduce_log().substr(std::string(header).find("#       size"));
}

TEST(NcclLog, ranks_that_are_given_stand_in_for_those_that_it_does_not_tell) {
  const NcclPoint point = read_nccl_points(all_reduce_table(), "x.log", {.ranks = 4}).at(0);
  EXPECT_EQ(point.ranks, 4);
  EXPECT_EQ(point.nodes, 1);
  EXPECT_EQ(point.operation, "all_reduce");
  EXPECT_EQ(read_nccl_points(all_reduce_log(), "x.log", {.ranks = 8}).at(0).ranks, 4);
}

// Of n ranks an all-reduce has 2 (n - 1) / n times its algorithm's bandwidth on the bus.
TEST(NcclLog, without_a_list_of_ranks_the_bandwidths_tell_how_many_there_are) {
  const std::string table = all_reduce_table();
  EXPECT_EQ(test::error_of([&] { read_nccl_log(table, "x.log"); }),
            "x.log: error: the log does not say on how many hosts its 4 ranks are: its lines "
            "'#  Rank ... on HOST device ...' are missing (--nodes N)");
  const NcclPoint point = read_nccl_log(table, "x.log", {.nodes = 2}).at(0);
  EXPECT_EQ(point.ranks, 4);
  EXPECT_EQ(point.nodes, 2);
  const std::string coarse = std::string(header).substr(std::string(header).find("#       size")) +
                             " 2048 512 float sum -1 20.0 1.00 1.98 0 20.0 1.00 1.98 0\n";
  EXPECT_NE(test::error_of([&] {
              read_nccl_log(coarse, "x.log", {.nodes = 2});
            }).find("bandwidths fit 58 or more (--ranks N)"),
            std::string::npos);
}

TEST(NcclLog, a_list_with_gaps_tells_the_hosts_where_ranks_in_a_row_leave_none_out) {
  const auto points = [](const std::string& ranks) {
    return read_nccl_log(ranks + all_reduce_table(), "x.log").at(0).nodes;
  };
  EXPECT_EQ(
      points("# Rank 0 Pid 1 on a device 0 [0x07] A\n# Rank 1 Pid 1 on a device 1 [0x08] A\n"
             "# Rank 2 Pid 1 on b device 0 [0x07] A\n# Rank 3 Pid 1 on b device 1 [0x08] A\n"),
      2);
  EXPECT_EQ(
      points("# Rank 0 Pid 1 on a device 0 [0x07] A\n# Rank 3 Pid 1 on a device 3 [0x0b] A\n"), 1);
  EXPECT_NE(test::error_of([&] {
              points("# Rank 3 Pid 1 on a device 3 [0x07] A\n");
            }).find("some of its lines '#  Rank ...' are missing (--nodes N)"),
            std::string::npos);
}

TEST(NcclLog, lines_of_nccl_tell_ranks_and_nodes) {
  const std::string said =
      "a:1:2 [0] NCCL INFO comm 0x5 rank 3 nRanks 4 nNodes 2 localRanks 2 - Init COMPLETE\n";
  const NcclPoint point = read_nccl_log(said + all_reduce_table(), "x.log").at(0);
  EXPECT_EQ(point.ranks, 4);
  EXPECT_EQ(point.nodes, 2);
}

TEST(NcclLog, a_line_of_nccl_tells_its_network) {
  const std::string said = "a:1:2 [0] NCCL INFO Using network AWS Libfabric\n";
  EXPECT_EQ(read_nccl_log(said + all_reduce_log(), "x.log").at(0).transport, "AWS Libfabric");
  EXPECT_EQ(read_nccl_log(all_reduce_log(), "x.log").at(0).transport, "");
}

// As nccl-tests printed them until 2.12: 8 ranks, 7/8 of the algorithm's bandwidth on the bus.
TEST(NcclLog, columns_of_old_versions_tell_the_operation) {
  const std::string ranks =
      "#   Rank  0 Pid 1 on a device  0 [0x00] A100\n#   Rank  7 Pid 1 on a device  7 [0x00] "
      "A100\n";
  const auto operation = [&](const std::string& columns, const std::string& row) {
    return read_nccl_log(ranks + "# size count type " + columns +
                             " time algbw busbw error time algbw busbw error\n" + row,
                         "x.log")
        .at(0)
        .operation;
  };
  EXPECT_EQ(operation("", " 4096 128 float 4 8.00 7.00 N/A 4 8.00 7.00 N/A\n"), "all_gather");
  EXPECT_EQ(operation("redop", " 4096 128 float 4 8.00 7.00 N/A 4 8.00 7.00 N/A\n"), "all_to_all");
  EXPECT_EQ(operation("root", " 4096 128 float 0 4 8.00 8.00 N/A 4 8.00 8.00 N/A\n"), "broadcast");
  EXPECT_EQ(operation("redop root", " 4096 128 float sum 0 4 8.00 8.00 N/A 4 8.00 8.00 N/A\n"),
            "reduce");
}

// nccl-tests does not check all-to-all in place.
TEST(NcclLog, results_that_are_not_checked_in_place_are_an_all_to_all) {
  const std::string row = " 2048 128 float none -1 20.0 2.00 1.50 0 20.0 2.00 1.50 N/A\n";
  EXPECT_EQ(read_nccl_log(header + row, "x.log").at(0).operation, "all_to_all");
}

TEST(NcclLog, results_that_are_checked_in_place_are_an_all_gather) {
  const std::string row = " 2048 128 float none -1 20.0 2.00 1.50 0 20.0 2.00 1.50 0\n";
  EXPECT_EQ(read_nccl_log(header + row, "x.log").at(0).operation, "all_gather");
}

// 2048 bytes of which a rank has 32 floats are those of 16 ranks, as coarse as bandwidths may be.
TEST(NcclLog, the_count_of_a_part_tells_how_many_ranks_there_are) {
  const std::string columns = std::string(header).substr(std::string(header).find("#       size"));
  const std::string row = " 2048 32 float none -1 20.0 2.00 1.90 0 20.0 2.00 1.90 0\n";
  EXPECT_EQ(read_nccl_log(columns + row, "x.log", {.nodes = 2}).at(0).ranks, 16);
}

TEST(NcclLog, a_table_may_have_lost_the_marks_of_its_comments) {
  std::string log = all_reduce_log();
  std::erase(log, '#');
  EXPECT_EQ(read_nccl_log(log, "x.log").size(), 2u);
}

TEST(NcclLog, the_first_size_may_take_in_what_starts_up) {
  const std::string rows =
      " 8 2 float sum -1 2193.5 0.00 0.00 0 132 0 0 0\n 16 4 float sum -1 84.5 0.00 0.00 0 57 0 0 "
      "0\n"
      " 2048 512 float sum -1 20.0 2.00 3.00 0 20.0 2.00 3.00 0\n";
  EXPECT_EQ(read_nccl_log(header + rows, "x.log").size(), 3u);
}

TEST(NcclLog, what_is_no_log_is_an_error) {
  EXPECT_NE(test::error_of([] { read_nccl_log("hello\n", "x.log"); }).find("no measurements"),
            std::string::npos);
  const std::string bad =
      std::string(header) + " 2048 128 float sum -1 fast 2.00 1.50 0 20.0 2.00 1.50 0\n";
  EXPECT_EQ(test::error_of([&] { read_nccl_log(bad, "x.log"); }),
            "x.log:11:1: error: 'fast' is no time");
}

TEST(NcclLog, a_row_that_was_cut_is_an_error) {
  const std::string log =
      all_reduce_log() + "        4096          1024     float     sum      -1  ";
  EXPECT_EQ(test::error_of([&] { read_nccl_log(log + " 20.0    2.00", "x.log"); }),
            "x.log:16:1: error: 7 of the row's 13 columns: the log was cut here");
}

TEST(NcclLog, the_version_of_nccl_is_told_in_three_ways) {
  const auto library = [](const std::string& line) {
    return read_nccl_log(line + "\n" + all_reduce_log(), "x.log")[0].library;
  };
  EXPECT_EQ(library("# nccl-tests version 2.17.1 nccl-headers=22807 nccl-library=22807"),
            "NCCL 2.28.7");
  EXPECT_EQ(library("# nccl-library=2804"), "NCCL 2.8.4");
  EXPECT_EQ(library("node1:71:71 [0] NCCL INFO NCCL version 2.22.3+cuda12.6"), "NCCL 2.22.3");
  EXPECT_EQ(library("#"), "");
}

TEST(NcclTable, columns_are_found_by_name) {
  const auto points =
      read_nccl_table("time_s,op,ranks,more,bytes,dtype\n1e-5,all_gather,8,x,4096,bf16\n", "t.csv");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].operation, "all_gather");
  EXPECT_EQ(points[0].ranks, 8);
  EXPECT_EQ(points[0].bytes, 4 * KiB);
  EXPECT_EQ(points[0].element_bytes, 2);
  EXPECT_EQ(points[0].time_s, 1e-5);
}

TEST(NcclTable, what_is_wrong_is_told_with_its_line) {
  const std::string head = "op,dtype,ranks,bytes,time_s\n";
  const auto error = [&](const std::string& row) {
    return test::error_of(
        [&] { read_nccl_table(head + "all_reduce,fp16,8,4096,1e-5\n" + row, "t"); });
  };
  EXPECT_NE(error("all_reduce,fp16,8,4096,-1\n").find("t:3:1: error: '-1' is no time"),
            std::string::npos);
  EXPECT_NE(error("all_reduce,fp16,1,4096,1\n").find("no number of ranks"), std::string::npos);
  EXPECT_NE(error("all_reduce,fp17,8,4096,1\n").find("unknown dtype"), std::string::npos);
  EXPECT_NE(error("frob,fp16,8,4096,1\n").find("unknown op"), std::string::npos);
  EXPECT_EQ(error("all_reduce,fp16\n"), "t:3:1: error: 2 cells, and the header names 5 columns");
  EXPECT_NE(test::error_of([] { read_nccl_table("op,bytes\n", "t"); }).find("needs the column"),
            std::string::npos);
}

// A row without its last cells would be read as one that leaves them empty.
TEST(NcclTable, a_row_has_the_cells_of_the_header) {
  const std::string head = "op,dtype,ranks,bytes,time_s,nodes\n";
  const auto error = [&](const std::string& row) {
    return test::error_of([&] { read_nccl_table(head + row, "t"); });
  };
  EXPECT_EQ(error("all_reduce,fp16,16,4096,1e-5\n"),
            "t:2:1: error: 5 cells, and the header names 6 columns");
  EXPECT_EQ(error("all_reduce,fp16,16,4096,1e-5,2,3\n"),
            "t:2:1: error: 7 cells, and the header names 6 columns");
}

TEST(NcclTable, percentiles_are_on_either_side_of_the_median) {
  const std::string head = "op,dtype,ranks,bytes,time_s,time_p5_s,time_p95_s\n";
  const auto error = [&](const std::string& times) {
    return test::error_of(
        [&] { read_nccl_table(head + "all_reduce,fp16,16,4096," + times + "\n", "t"); });
  };
  EXPECT_EQ(error("1e-4,2e-4,1e-4"),
            "t:2:1: error: time_p5_s is 0.0002 s, above time_s, which is 0.0001 s");
  EXPECT_EQ(error("1e-4,1e-5,2e-5"),
            "t:2:1: error: time_p95_s is 2e-05 s, below time_s, which is 0.0001 s");
  EXPECT_EQ(error("1e-4,1e-4,1e-4"), "no error");
  EXPECT_EQ(error("1e-4,,"), "no error");
}

TEST(NcclTable, a_row_says_over_how_many_jobs_it_is) {
  const std::string head = "op,dtype,ranks,bytes,time_s,jobs\nall_reduce,fp16,8,4096,1e-5,";
  EXPECT_EQ(read_nccl_table(head + "151\n", "t")[0].jobs, 151);
  EXPECT_EQ(read_nccl_table(head + "\n", "t")[0].jobs, 1);
  EXPECT_EQ(test::error_of([&] { read_nccl_table(head + "0\n", "t"); }),
            "t:2:1: error: '0' is no number of jobs");
}

// Times may step down where a protocol changes, by 7 times at most, and the first takes in a start.
TEST(NcclTable, times_that_fall_beyond_noise_are_refused) {
  const std::string rows =
      "op,dtype,ranks,bytes,time_s\nall_reduce,fp16,8,1024,1e-2\nall_reduce,fp16,8,4096,1e-4\n";
  EXPECT_EQ(read_nccl_table(rows + "all_reduce,fp16,8,8192,1.5e-5\n", "t").size(), 3u);
  EXPECT_EQ(read_nccl_table(rows + "all_gather,fp16,8,8192,1e-6\n", "t").size(), 3u);
  EXPECT_EQ(test::error_of([&] { read_nccl_table(rows + "all_reduce,fp16,8,8192,4e-6\n", "t"); }),
            "t:4:1: error: 8192 bytes take 4 us, 4096 bytes took 100 us: no noise is so large");
}

TEST(NcclPoints, a_table_and_a_log_are_told_apart) {
  EXPECT_EQ(read_nccl_points("op,dtype,ranks,bytes,time_s\nreduce,fp32,2,8,1\n", "t").size(), 1u);
  EXPECT_EQ(read_nccl_points(all_reduce_log(), "x.log").size(), 2u);
}

TEST(NcclLog, rows_may_have_no_time_in_place) {
  const std::string row = " 2048 512 float sum -1 20.0 2.00 3.00 0\n";
  const NcclPoint point = read_nccl_log(header + row, "x.log").at(0);
  EXPECT_NEAR(point.time_s, 20e-6, 1e-12);
  EXPECT_FALSE(point.in_place_s);
}

}  // namespace
}  // namespace pipewright::interop
