#include "interop/chakra.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "interop/chakra_writer.hpp"
#include "support/chakra_bytes.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace pipewright::chakra {
namespace {

using namespace pipewright::test;
using goal::Goal;
using goal::Kind;

Goal parsed(const std::vector<std::string>& files, const Estimate& estimate = {}) {
  return parse(files, "t", estimate);
}
std::string error_in(const std::vector<std::string>& files) {
  return error_of([&] { goal::check(parsed(files)); });
}

TEST(Chakra, nodes_become_ops_of_their_rank) {
  const Goal goal =
      parsed({et(comp(1, 5) + send(2, 1, 1000, after(1) + small_attribute("comm_tag", 9))),
              et(recv(7, 0, 1000, small_attribute("comm_tag", 9)))});
  ASSERT_EQ(goal.ranks.size(), 2u);
  ASSERT_EQ(goal.ops.size(), 3u);
  EXPECT_EQ(goal.ops[0].kind, Kind::calc);
  EXPECT_EQ(goal.ops[0].amount, 5000);  // micros in ns
  EXPECT_EQ(goal.ops[1].kind, Kind::send);
  EXPECT_EQ(goal.ops[1].amount, 1000);
  EXPECT_EQ(goal.ops[1].peer, 1u);
  EXPECT_EQ(goal.ops[1].tag, 9u);
  EXPECT_EQ(goal.ops[2].kind, Kind::recv);
  EXPECT_EQ(goal.ops[2].peer, 0u);
  ASSERT_EQ(goal.dependencies.size(), 1u);
  EXPECT_EQ(goal.dependencies[0].op, 1u);
  EXPECT_EQ(goal.dependencies[0].on, 0u);
}

TEST(Chakra, nanoseconds_go_before_whole_microseconds) {
  EXPECT_EQ(parsed({et(comp(1, 5, attribute("duration_ns", 5499)))}).ops[0].amount, 5499);
}

TEST(Chakra, control_and_data_dependencies_both_hold) {
  const Goal goal = parsed({et(comp(1, 1) + comp(2, 1) + comp(3, 1, field(4, 1) + field(5, 2)))});
  EXPECT_EQ(goal.dependencies.size(), 2u);
}

// proto3 packs repeated numbers: one field with all of them.
TEST(Chakra, packed_dependencies_are_read) {
  const Goal goal =
      parsed({et(comp(1, 1) + comp(2, 1) + comp(3, 1, field(5, varint(1) + varint(2))))});
  EXPECT_EQ(goal.dependencies.size(), 2u);
}

TEST(Chakra, streams_run_beside_each_other_and_the_host_beside_them) {
  const Goal goal = parsed(
      {et(comp(1, 1, attribute("stream", 7)) + comp(2, 1, attribute("stream", 20)) +
          comp(3, 1, attribute("stream", 7)) + comp(4, 1, small_attribute("is_cpu_op", 1)))});
  EXPECT_EQ(goal.ops[0].cpu, goal.ops[2].cpu);
  EXPECT_NE(goal.ops[0].cpu, goal.ops[1].cpu);
  EXPECT_NE(goal.ops[3].cpu, goal.ops[0].cpu);
  EXPECT_NE(goal.ops[3].cpu, goal.ops[1].cpu);
}

TEST(Chakra, what_has_no_duration_is_estimated) {
  const std::vector<std::string> files = {
      et(node(1, 4, attribute("num_ops", 3000) + attribute("tensor_size", 10)))};
  const auto estimate = [](double operations, double bytes) {
    return static_cast<int64_t>(operations + bytes);
  };
  EXPECT_EQ(parsed(files, estimate).ops[0].amount, 3010);
  EXPECT_NE(error_in(files).find("t.0.et: error: rank 0's node 1 has no duration"),
            std::string::npos);
}

// Of all_gather comm_size is a member's own part: two of 500 bytes make 1000.
TEST(Chakra, collectives_of_all_ranks_are_one) {
  const Goal goal =
      parsed({et(coll(1, 0, 800) + coll(2, 2, 500)), et(coll(5, 0, 800) + coll(6, 2, 500))});
  ASSERT_EQ(goal.collectives.size(), 2u);
  EXPECT_EQ(goal.collectives[0].kind, CollectiveKind::all_reduce);
  EXPECT_EQ(goal.collectives[0].bytes.count, 800);
  EXPECT_EQ(goal.collectives[0].ops, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(goal.collectives[1].kind, CollectiveKind::all_gather);
  EXPECT_EQ(goal.collectives[1].bytes.count, 1000);
}

std::string groups(const std::string& list) { return node(100, 1, field(8, field(1, list))); }
const std::string member = attribute("pg_name", std::string("3"));

TEST(Chakra, process_groups_are_those_that_pytorch_describes) {
  const std::string list = "[{\"pg_name\": \"3\", \"ranks\": [2, 0]}]";
  for (const std::string& written : {"['" + list + "']", list}) {
    const std::string file = et(groups(written) + coll(1, 0, 8, member));
    const Goal goal = parsed({file, et(""), file});
    ASSERT_EQ(goal.collectives.size(), 1u) << written;
    EXPECT_EQ(goal.collectives[0].members, (std::vector<uint32_t>{2, 0}));
  }
}

TEST(Chakra, what_is_wrong_names_file_rank_and_node) {
  const std::string described =
      groups("['[{\"pg_name\": \"3\", \"ranks\": [0, 1]}]']") + coll(1, 0, 8, member);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{et(send(4, 1, 20)), et("")},
       "t.0.et: error: rank 0's node 4 sends 20 bytes to rank 1 with tag 0, but there are more "
       "such "
       "sends than receives"},
      {{et(""), et(recv(4, 0, 20))},
       "t.1.et: error: rank 1's node 4 receives 20 bytes from rank 0"},
      {{et(send(4, 1, 20)), et(recv(5, 0, 21))},
       "t.1.et: error: rank 1's node 5 receives 21 bytes from rank 0 with tag 0, but what comes is "
       "20 bytes: rank 0's node 4"},
      {{et(send(4, 2, 20)), et("")},
       "t.0.et: error: rank 0's node 4 has the comm_dst 2, but there are 2 ranks: 't.2.et'"},
      {{et(node(4, 5, attribute("comm_size", 1)))}, "rank 0's node 4 has no comm_dst"},
      {{et(comp(1, 1, after(2)) + comp(2, 1, after(1)))}, "t.0.et: error: in rank 0, node "},
      {{et(comp(1, 1, after(9)))},
       "rank 0's node 1 waits for node 9, which the file does not have"},
      {{et(comp(1, 1) + comp(1, 1))}, "rank 0's node 1 is there twice"},
      {{et(coll(1, 3, 8))}, "rank 0's node 1 is a collective with the comm_type 3"},
      {{et(coll(1, 77, 8))}, "rank 0's node 1 is a collective with the comm_type 77"},
      {{et(coll(1, 0, 8)), et(coll(2, 0, 9))},
       "t.1.et: error: rank 1's node 2 meets rank 0's node 1 in process group '', which is of "
       "another size"},
      {{et(coll(1, 0, 8)), et(coll(2, 7, 8))}, "which is of another kind"},
      {{et(coll(1, 0, 8)), et("")},
       "t.0.et: error: rank 0's node 1 is a collective that rank 1 does not take part in"},
      {{et(coll(1, 0, 8, member))},
       "is of process group '3', which neither a METADATA node before it nor 't.json'"},
      {{et(described), et(described), et(described)},
       "t.2.et: error: rank 2's node 1 is of process group '3', which rank 2 is not in"},
      {{et(described)}, "has 1 in process group '3', which is no rank from 0 to 0"},
      {{et(node(1, 12))}, "rank 0's node 1 is of type 12"},
      {{et(comp(1, 1) + comp(2, 1)).substr(0, 12)},
       "t.0.et: error: message 2, at byte 8, is cut short"},
      {{""}, "t.0.et: error: is empty"},
      {{"\x1f\x8b\x08"}, "t.0.et: error: is compressed: gunzip it first"},
      {{et("", "0.0.1")}, "t.0.et: error: a Chakra trace of version '0.0.1', but only 0.0.4"},
      {{"{\"schema\": \"1.0\"}"}, "t.0.et: error: message 1, at byte 0, is cut short"},
      {{et(comp(1, 1, attribute("comm_size", -1)))}, "t.0.et: error: node 1 has the comm_size -1"},
      {{et(comp(1, uint64_t{1} << 60))}, "node 1 lasts longer than the clock counts"},
  };
  for (const auto& [files, error] : cases)
    EXPECT_NE(error_in(files).find(error), std::string::npos) << error_in(files) << "\n" << error;
}

TEST(Chakra, versions_of_pytorch_traces_are_known) {
  EXPECT_EQ(parsed({et(comp(1, 1), "1.1.1-chakra.0.0.4")}).ops.size(), 1u);
  EXPECT_EQ(parsed({et(comp(1, 1), "")}).ops.size(), 1u);
}

// Nor does the library print a line of its own about it.
TEST(Chakra, names_may_be_any_bytes) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(parsed({et(comp(1, 1, field(2, std::string("\xff\xfe"))))}).ops.size(), 1u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

class ChakraFiles : public testing::Test {
 protected:
  void write(const std::string& name) {
    std::ofstream(folder_.path() + "/" + name, std::ios::binary) << et(comp(1, 1));
  }
  TemporaryFolder folder_;
  std::string prefix_ = folder_.path() + "/t";
};

TEST_F(ChakraFiles, are_found_by_their_prefix) {
  for (const char* name : {"t.0.et", "t.1.et", "t.json", "tt.2.et", "t.x.et"}) write(name);
  EXPECT_EQ(read(prefix_).ranks.size(), 2u);
}

TEST_F(ChakraFiles, must_all_be_there) {
  EXPECT_NE(error_of([&] { read(prefix_); }).find("no Chakra trace '"), std::string::npos);
  write("t.0.et");
  write("t.2.et");
  const std::string error = error_of([&] { read(prefix_); });
  EXPECT_NE(error.find("t.1.et' is missing: there is '"), std::string::npos) << error;
}

/// What the writer makes of one rank.
template <class F>
std::string written(F&& write) {
  std::string contents;
  Writer writer([&](uint32_t, const std::string& rank) { contents = rank; });
  writer.begin_rank(0);
  write(writer);
  writer.end_rank();
  return contents;
}

// 1499 ns are a whole microsecond, rounded, for those who count in them.
TEST(ChakraWriter, writes_the_fields_of_the_schema) {
  const std::string comp_node =
      field(1, 1) + field(2, std::string("0F0")) + field(3, 4) + field(7, 1) +
      field(10, field(1, std::string("is_cpu_op")) + field(27, 0)) +
      attribute("duration_ns", 1499) + attribute("num_ops", 6) +
      field(10, field(1, std::string("tensor_size")) + field(13, 8)) + attribute("stream", 0);
  EXPECT_EQ(written([](Writer& w) {
              w.calc({1499, 0, "0F0", 6, 8});
            }),
            et(varint(comp_node.size()) + comp_node));
}

TEST(ChakraWriter, the_reader_reads_what_it_writes) {
  std::vector<std::string> files(3);
  Writer writer([&](uint32_t rank, const std::string& contents) { files[rank] = contents; });
  const std::vector<int32_t> members = {0, 2};
  for (uint32_t rank = 0; rank < 3; ++rank) {
    writer.begin_rank(rank);
    const uint32_t first = writer.calc({77, 2, "x"});
    if (rank == 0) writer.requires_end(writer.send(10, 1, 4, 1), first);
    if (rank == 1) writer.recv(10, 0, 4, 1);
    if (rank != 1)
      writer.requires_end(writer.collective(CollectiveKind::all_gather, {64}, 5, members), first);
    writer.end_rank();
  }
  const Goal goal = parsed(files);
  goal::check(goal);
  ASSERT_EQ(goal.collectives.size(), 1u);
  EXPECT_EQ(goal.collectives[0].bytes.count, 64);
  EXPECT_EQ(goal.collectives[0].members, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(goal.ops[1].amount, 77);  // after the node that describes groups
}

}  // namespace
}  // namespace pipewright::chakra
