#include "interop/flight_recorder.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

// As _dump_nccl_trace_json() of PyTorch 2.6 writes it: an all-reduce of 2 x 3 halves, and a launch
// of a send and a receive.
constexpr const char* dump = R"({"entries": [
{"record_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 1,
 "p2p_seq_id": 0, "op_id": 1, "profiling_name": "nccl:all_reduce", "input_sizes": [[2, 3]],
 "input_dtypes": ["Half"], "output_sizes": [[2, 3]], "output_dtypes": ["Half"], "is_p2p": false},
{"record_id": 1, "pg_id": 1, "process_group": ["3", "PIPELINE_MODEL_PARALLEL_GROUP"],
 "collective_seq_id": 0, "p2p_seq_id": 1, "op_id": 1, "profiling_name": "nccl:send 0->1",
 "input_sizes": [[8]], "input_dtypes": ["Float"], "is_p2p": true},
{"record_id": 2, "pg_id": 1, "process_group": ["3", "PIPELINE_MODEL_PARALLEL_GROUP"],
 "collective_seq_id": 0, "p2p_seq_id": 1, "op_id": 2, "profiling_name": "nccl:recv 0<-1",
 "input_sizes": [[8]], "input_dtypes": ["Float"], "is_p2p": true}],
"pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"},
              "3": {"name": "3", "desc": "PIPELINE_MODEL_PARALLEL_GROUP", "ranks": "[0, 2]"}},
"version": "2.4"})";

TEST(FlightRecorder, launches_have_their_group_and_bytes) {
  const TemporaryFolder folder;
  const FlightRecord record = read_flight_record(folder.write("nccl_trace_rank_2.json", dump));
  EXPECT_EQ(record.rank, 2);
  EXPECT_EQ(record.groups.at("3").ranks, "[0, 2]");
  ASSERT_EQ(record.launches.size(), 2u);
  EXPECT_EQ(record.launches[0].name, "all_reduce");
  EXPECT_EQ(record.launches[0].size, 4);
  EXPECT_EQ(record.launches[0].bytes, 12);
  EXPECT_EQ(record.launches[1].name, "send");
  EXPECT_EQ(record.launches[1].description, "PIPELINE_MODEL_PARALLEL_GROUP");
  EXPECT_EQ(record.launches[1].bytes, 64);
}

TEST(FlightRecorder, a_pickle_says_the_same) {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  // {"pg_config": {"0": {"desc": "d", "ranks": "[5]"}}}
  const std::string pickle = "\x80\x02}(X\x09\0\0\0pg_config}X\x01\0\0\0"s +
                             "0}(X\x04\0\0\0descX\x01\0\0\0dX\x05\0\0\0ranks"s +
                             "X\x03\0\0\0[5]usu."s;
  const FlightRecord record = read_flight_record(folder.write("comm_lib_trace_rank_7", pickle));
  EXPECT_EQ(record.rank, 7);
  EXPECT_EQ(record.groups.at("0").description, "d");
  EXPECT_EQ(record.groups.at("0").size, 1);
}

TEST(FlightRecorder, a_folder_holds_one_of_each_rank) {
  const TemporaryFolder folder;
  folder.write("rank_0", dump);
  folder.write("rank_1", dump);
  folder.write("README", "no dump");
  EXPECT_EQ(read_flight_records({folder.path()}).size(), 2u);
  const std::string twice = folder.write("again_1.json", dump);
  EXPECT_NE(error_of([&] { read_flight_records({folder.path()}); }).find("is of rank 1, as"),
            std::string::npos);
}

TEST(FlightRecorder, what_is_none_is_told) {
  const TemporaryFolder folder;
  for (const char* text : {"", "{", "[1]", "{\"pg_config\": 3}", "{\"traceEvents\": []}"})
    EXPECT_NE(error_of([&] {
                read_flight_record(folder.write("x_1", text));
              }).find("is no dump of PyTorch's flight recorder: it has no 'pg_config'"),
              std::string::npos)
        << text;
  // Wrong types are nothing.
  EXPECT_EQ(
      read_flight_record(folder.write("x_1", R"({"pg_config": {"0": 1}, "entries": [2, {}]})"))
          .launches.size(),
      1u);
}

}  // namespace
}  // namespace pipewright::test
