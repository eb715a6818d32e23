#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {
namespace {

using test::error_of;

std::vector<GivenFlow> table(std::string_view text) { return read_flow_table(text, "f.csv", 4); }
std::string table_error(std::string_view text) {
  return error_of([&] { table(text); });
}
std::vector<GivenFlow> list(std::string_view yaml) {
  return read_flows(config::parse(yaml, "x.yaml"), 4);
}
std::string list_error(std::string_view yaml) {
  return error_of([&] { list(yaml); });
}

void expect_flow(const GivenFlow& flow, int from, int to, int64_t bytes, Time start) {
  EXPECT_EQ(flow.from, from);
  EXPECT_EQ(flow.to, to);
  EXPECT_EQ(flow.bytes.count, bytes);
  EXPECT_EQ(flow.start, start);
}

TEST(FlowTable, plain_numbers_are_in_base_units) {
  const auto flows = table("from,to,bytes,start\n0,1,1000,0.5\n3,2,0,0\n");
  ASSERT_EQ(flows.size(), 2u);
  expect_flow(flows[0], 0, 1, 1000, milliseconds(500));
  expect_flow(flows[1], 3, 2, 0, Time{});
}

TEST(FlowTable, numbers_may_have_units) {
  expect_flow(table("from,to,bytes,start\n0,1,2 KiB,3 us\n").at(0), 0, 1, 2048, microseconds(3));
}

TEST(FlowTable, columns_come_in_any_order_and_start_may_be_missing) {
  expect_flow(table("bytes,to,from\n7,1,2\n").at(0), 2, 1, 7, Time{});
}

TEST(FlowTable, a_flow_stands_at_the_beginning_of_its_line) {
  EXPECT_EQ(to_string(table("from,to,bytes\n\n0,1,5\n").at(0).mark.where()), "f.csv:3:1");
}

TEST(FlowTable, takes_what_spreadsheets_write) {
  const auto flows = table("\xef\xbb\xbf\"from\", to,bytes\r\n\r\n \"0\" ,1,\"5\"\r\n3,2,6");
  ASSERT_EQ(flows.size(), 2u);
  expect_flow(flows[0], 0, 1, 5, Time{});
  expect_flow(flows[1], 3, 2, 6, Time{});
}

TEST(FlowTable, mistakes_are_told_at_their_line_and_column) {
  EXPECT_EQ(table_error("from,to,bytes\n0,1,5\n\n0,4,5\n"),
            "f.csv:4:3: error: device 4 is not there: the cluster has 4, from 0 to 3");
  EXPECT_EQ(table_error("from,to,bytes\n0,1\n"),
            "f.csv:2:1: error: expected 3 cells, as the header has, found 2");
  EXPECT_EQ(table_error("from,to,bytes\n0,1,2,3,4\n"),
            "f.csv:2:1: error: expected 3 cells, as the header has, found 5");
  EXPECT_EQ(table_error("from,to,bytes\n0,1,2,3,4,5,6,7,8,9,10\n"),
            "f.csv:2:1: error: more than 10 cells");
  EXPECT_TRUE(table_error("from,to,bytes,priority\n0,1,5,-1\n").starts_with("f.csv:2:7: error:"));
  EXPECT_TRUE(table_error("from,to,bytes,weight\n0,1,5,0\n").starts_with("f.csv:2:7: error:"));
  EXPECT_TRUE(table_error("from,to,bytes,cap\n0,1,5,0\n").starts_with("f.csv:2:7: error:"));
  EXPECT_TRUE(table_error("from,to,bytes\n0,1, -5\n").starts_with("f.csv:2:6: error: '-5'"));
  EXPECT_TRUE(table_error("from,to,bytes\n0,,5\n").starts_with("f.csv:2:3: error: ''"));
  EXPECT_TRUE(
      table_error("from,to,bytes,start\n0,1,5,-1 s\n").starts_with("f.csv:2:7: error: '-1 s'"));
  EXPECT_TRUE(table_error("from,to,bytes\n0,1,99999999999999999999\n").starts_with("f.csv:2:5:"));
}

TEST(FlowTable, a_wrong_header_says_what_is_right) {
  EXPECT_EQ(table_error("from,too,bytes\n"),
            "f.csv:1:6: error: unknown column 'too'; expected a header such as "
            "'from,to,bytes,start'; did you mean 'to'?");
  EXPECT_EQ(table_error("from,to\n"), "f.csv:1:1: error: the column 'bytes' is missing");
  EXPECT_EQ(table_error("from,to,from\n"), "f.csv:1:9: error: column 'from' is given twice");
  EXPECT_EQ(table_error("from,to,bytes\n\n"), "f.csv:2:1: error: no flows after the header");
  EXPECT_EQ(table_error(""),
            "f.csv:1:1: error: no flows: expected a header such as 'from,to,bytes,start'");
}

TEST(FlowTable, a_list_is_read_too) {
  const auto flows =
      list("[{from: 0, to: 1, bytes: 1 kB, start: 1 ms}, {to: 2, from: 3, bytes: 4}]");
  ASSERT_EQ(flows.size(), 2u);
  expect_flow(flows[0], 0, 1, 1000, milliseconds(1));
  expect_flow(flows[1], 3, 2, 4, Time{});
}

TEST(FlowTable, priority_weight_and_cap_may_be_given) {
  const GivenFlow row = table("from,to,bytes,cap,weight,priority\n0,1,5,8 Gb/s,2.5,3\n").at(0);
  const GivenFlow item =
      list("[{from: 0, to: 1, bytes: 5, priority: 3, weight: 2.5, cap: 1 GB/s}]").at(0);
  for (const GivenFlow& flow : {row, item}) {
    EXPECT_EQ(flow.priority, 3);
    EXPECT_EQ(flow.weight, 2.5);
    EXPECT_EQ(flow.cap.bytes_per_s, 1e9);
  }
  const GivenFlow plain = list("[{from: 0, to: 1, bytes: 5}]").at(0);
  EXPECT_EQ(plain.priority, 0);
  EXPECT_EQ(plain.weight, 1);
  EXPECT_TRUE(std::isinf(plain.cap.bytes_per_s));
}

TEST(FlowTable, an_empty_cell_of_an_optional_column_is_its_default) {
  const auto flows =
      table("from,to,bytes,start,priority,weight,cap\n0,1,5,,,,\n0,1,5,1 s,3,2.5,1 GB/s\n");
  ASSERT_EQ(flows.size(), 2u);
  expect_flow(flows[0], 0, 1, 5, Time{});
  EXPECT_EQ(flows[0].priority, 0);
  EXPECT_EQ(flows[0].weight, 1);
  EXPECT_TRUE(std::isinf(flows[0].cap.bytes_per_s));
  expect_flow(flows[1], 0, 1, 5, seconds(1));
  EXPECT_EQ(flows[1].priority, 3);
}

TEST(FlowTable, mistakes_in_a_list_are_told_where_they_are) {
  EXPECT_EQ(list_error("[{from: 0, to: 9, bytes: 1}]"),
            "x.yaml:1:16: error: device 9 is not there: the cluster has 4, from 0 to 3");
  EXPECT_EQ(list_error("[{from: 0, two: 1, bytes: 1}]"),
            "x.yaml:1:12: error: unknown key 'two'; did you mean 'to'?");
  EXPECT_TRUE(list_error("[{from: 0, to: 1}]").starts_with("x.yaml:1:2: error:"));
  EXPECT_TRUE(list_error("[]").starts_with("x.yaml:1:1: error: traffic is a list such as"));
  EXPECT_TRUE(list_error("{from: 0}").starts_with("x.yaml:1:1: error: traffic is a list such as"));
}

TEST(FlowTable, a_path_is_seen_from_the_file_that_names_it) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() + "/flows.csv") << "from,to,bytes\n1,0,8\n";
  const config::Value named = config::parse("flows.csv", folder.path() + "/x.yaml");
  expect_flow(read_flows(named, 2).at(0), 1, 0, 8, Time{});
  const config::Value lost = config::parse("lost.csv", "x.yaml");
  EXPECT_TRUE(error_of([&] { read_flows(lost, 2); }).starts_with("x.yaml:1:1: error:"));
}

TEST(FlowTable, names_what_a_flow_comes_after) {
  const auto flows =
      table("name,from,to,bytes,after,delay\na,0,1,5,,\nb,0,1,5,,\n,1,2,5,a;b,2 ms\n");
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_TRUE(flows[1].after.empty());
  EXPECT_EQ(flows[2].after, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(flows[2].delay, milliseconds(2));
}

}  // namespace
}  // namespace pipewright
