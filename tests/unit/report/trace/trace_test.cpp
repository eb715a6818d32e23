#include "report/trace/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/golden.hpp"
#include "support/tiny_run.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

std::string text_of(const Run& run) {
  std::ostringstream out;
  write_trace(run, out);
  return out.str();
}

std::vector<Json> events(const Run& run, const std::string& phase) {
  std::vector<Json> found;
  const Json trace = Json::parse(text_of(run));
  for (const Json& event : trace.at("traceEvents"))
    if (event.at("ph") == phase) found.push_back(event);
  return found;
}

Json slice(const Run& run, const std::string& name) {
  for (const Json& event : events(run, "X"))
    if (event.at("name") == name) return event;
  return nullptr;
}

TEST(Trace, a_pass_is_a_slice_of_its_rank_with_what_it_works_on) {
  const Json f = slice(test::tiny_run(), "1F0");
  EXPECT_EQ(f.at("pid"), Json(2));
  EXPECT_EQ(f.at("cat"), Json("forward"));
  EXPECT_EQ(f.at("args"),
            Json::parse(R"({"stage": 1, "micro_batch": 0, "slice": 0, "weight_version": 0})"));
}

// What each counter is of, is its value from the beginning of the iteration on; at the end it is
// none.
TEST(Trace, counters_of_a_rank_add_up_to_the_iteration) {
  const auto run = test::tiny_run();
  std::map<std::pair<Json, std::string>, double> counters;
  std::map<Json, double> by_rank, at_end;
  for (const Json& event : events(run, "C")) {
    const std::string name = event.at("name");
    if (!name.starts_with("account: ")) continue;
    const double value = event.at("args").at("us");
    (event.at("ts") == 0 ? by_rank : at_end)[event.at("pid")] += value;
    if (event.at("ts") == 0) counters[{event.at("pid"), name}] = value;
  }
  const double iteration = in_seconds(run.result.metrics.iteration) * 1e6;
  ASSERT_EQ(by_rank.size(), 2u);
  for (const auto& [rank, sum] : by_rank) EXPECT_NEAR(sum, iteration, 1e-6);
  for (const auto& [rank, sum] : at_end) EXPECT_EQ(sum, 0);
  EXPECT_EQ((counters[{Json(2), "account: backward"}]), 20);
  EXPECT_EQ((counters[{Json(2), "account: exposed pipeline"}]), 2.000001);
}

// Forward of rank 1 starts 12 us and 1 ps into the run and ends 10 us later.
TEST(Trace, times_are_microseconds_to_the_picosecond) {
  const std::string text = text_of(test::tiny_run());
  EXPECT_NE(text.find("\"ts\":12.000001,\"dur\":10,"), std::string::npos);
  EXPECT_NE(text.find("\"ts\":0,\"dur\":10,"), std::string::npos);
  EXPECT_NE(text.find("\"ts\":10,\"dur\":2.000001,"), std::string::npos);
}

TEST(Trace, a_transfer_is_on_a_track_of_its_sender) {
  const auto run = test::tiny_run();
  const Json send = slice(run, "send 0F0 to rank 1");
  EXPECT_EQ(send.at("pid"), Json(1));
  EXPECT_NE(send.at("tid"), slice(run, "0F0").at("tid"));
  EXPECT_EQ(send.at("args").at("bytes"), Json(64));
  EXPECT_EQ(send.at("args").at("to_rank"), Json(1));
}

// 0F0 made the message, which left at 10 us; 1F0 takes it.
TEST(Trace, arrows_lead_from_producer_over_transfer_to_consumer) {
  const auto run = test::tiny_run();
  const Json s = events(run, "s").at(0), t = events(run, "t").at(0), f = events(run, "f").at(0);
  EXPECT_EQ(s.at("id"), f.at("id"));
  EXPECT_EQ(s.at("id"), t.at("id"));
  EXPECT_EQ(s.at("tid"), slice(run, "0F0").at("tid"));
  EXPECT_DOUBLE_EQ(s.at("ts").get<double>(),
                   9.999);  // within the slice, a nanosecond before its end
  EXPECT_EQ(t.at("tid"), slice(run, "send 0F0 to rank 1").at("tid"));
  EXPECT_DOUBLE_EQ(t.at("ts").get<double>(), 10);
  EXPECT_EQ(f.at("tid"), slice(run, "1F0").at("tid"));
  EXPECT_DOUBLE_EQ(f.at("ts").get<double>(), 12.000001);
  EXPECT_EQ(f.at("bp"), Json("e"));
  EXPECT_EQ(events(run, "s").size(), 2u);
}

// 1000 B of weights, 100 B from the start of F to the end of B.
TEST(Trace, memory_is_counted_over_time) {
  std::vector<std::pair<double, int64_t>> rank0;
  for (const Json& event : events(test::tiny_run(), "C"))
    if (event.at("pid") == 1 && event.at("name") == "device memory")
      rank0.emplace_back(event.at("ts").get<double>(), event.at("args").at("bytes").get<int64_t>());
  const std::vector<std::pair<double, int64_t>> expected = {{0, 1100}, {64.000002, 1000}};
  EXPECT_EQ(rank0, expected);
}

// The lane's list has the second op first; by time 100 B are held from 0 to 5 us, 30 B from 2 to 9.
TEST(Trace, memory_is_counted_in_the_order_of_time_whatever_the_order_of_the_lane) {
  pipewright::Run run;
  ProgramBuilder builder;
  builder.program.ranks = {{}};
  builder.program.types = {{.memory = {.allocates = Bytes{30}, .frees = Bytes{30}}},
                           {.memory = {.allocates = Bytes{100}, .frees = Bytes{100}}}};
  const LaneId lane = builder.add_lane(0, Stream::compute, LanePolicy::ready_first);
  for (const uint32_t type : {0u, 1u}) builder.append(lane, builder.add({.type = type}));
  run.program = std::move(builder).finish();
  run.timeline.spans = {{Time{}, microseconds(2), microseconds(9)},
                        {Time{}, Time{}, microseconds(5)}};
  std::vector<int64_t> held;
  for (const Json& event : events(run, "C")) held.push_back(event.at("args").at("bytes"));
  EXPECT_EQ(held, (std::vector<int64_t>{100, 130, 30, 0}));
}

TEST(Trace, processes_and_threads_have_names_and_an_order) {
  std::map<std::string, std::string> names;
  for (const Json& event : events(test::tiny_run(), "M")) {
    const std::string what = event.at("name");
    if (what == "process_name" || what == "thread_name")
      names[what + std::to_string(event.value("tid", event.at("pid").get<int>()))] =
          event.at("args").at("name");
    else
      EXPECT_TRUE(event.at("args").at("sort_index").is_number_integer());
  }
  const std::map<std::string, std::string> expected = {
      {"process_name1", "rank 0"},         {"process_name2", "rank 1"},
      {"thread_name3", "compute"},         {"thread_name4", "compute"},
      {"thread_name5", "sends to rank 1"}, {"thread_name6", "sends to rank 0"}};
  EXPECT_EQ(names, expected);
}

/// Transfers from rank 0 to rank 1, from and to in microseconds.
Run transfers(const std::vector<std::pair<int, int>>& times) {
  pipewright::Run run;
  ProgramBuilder builder;
  builder.program.ranks = {{.pipeline = 0}, {.pipeline = 1}};
  builder.program.types = {{.kind = OpKind::transfer}};
  for (const auto& [from, to] : times) {
    builder.add({.rank = 0, .peer = 1});
    run.timeline.spans.push_back({microseconds(from), microseconds(from), microseconds(to)});
  }
  run.program = std::move(builder).finish();
  return run;
}

// 0-5 and 2-6 overlap and need two tracks; 5-7 goes on the first again, 6-8 on the second.
TEST(Trace, transfers_that_overlap_are_on_several_tracks) {
  std::vector<Json> slices = events(transfers({{0, 5}, {2, 6}, {5, 7}, {6, 8}}), "X");
  ASSERT_EQ(slices.size(), 4u);
  std::sort(slices.begin(), slices.end(),  // a file is in the order of its tracks
            [](const Json& a, const Json& b) { return a.at("ts") < b.at("ts"); });
  EXPECT_NE(slices[0].at("tid"), slices[1].at("tid"));
  EXPECT_EQ(slices[0].at("tid"), slices[2].at("tid"));
  EXPECT_EQ(slices[1].at("tid"), slices[3].at("tid"));
}

TEST(Trace, what_takes_no_time_is_no_slice) {
  EXPECT_TRUE(events(transfers({{3, 3}}), "X").empty());
}

TEST(Trace, of_a_program_without_ops_is_still_json) {
  EXPECT_TRUE(Json::parse(text_of(pipewright::Run{})).at("traceEvents").empty());
}

/// What every event of a kind says under `key`.
std::vector<int64_t> numbers(const Json& trace, const std::string& phase, const char* key) {
  std::vector<int64_t> found;
  for (const Json& event : trace.at("traceEvents"))
    if (event.at("ph") == phase) found.push_back(event.at(key));
  return found;
}

TEST(Trace, of_several_runs_has_processes_threads_and_arrows_of_each) {
  const auto run = test::tiny_run();
  const std::vector<TracedRun> runs = {{run, "1f1b predicted"}, {run, "1f1b measured"}};
  std::ostringstream out;
  write_trace(runs, out);
  const Json both = Json::parse(out.str()), one = Json::parse(text_of(run));
  std::map<int64_t, std::string> processes;
  std::map<int64_t, int64_t> process_of_thread;
  for (const Json& event : both.at("traceEvents")) {
    if (event.at("name") == "process_name")
      processes[event.at("pid")] = event.at("args").at("name");
    if (event.at("name") == "thread_name") {
      EXPECT_TRUE(process_of_thread.try_emplace(event.at("tid"), event.at("pid")).second);
      EXPECT_FALSE(processes.contains(event.at("tid")));
    }
  }
  EXPECT_EQ(processes, (std::map<int64_t, std::string>{{1, "1f1b predicted, rank 0"},
                                                       {2, "1f1b predicted, rank 1"},
                                                       {3, "1f1b measured, rank 0"},
                                                       {4, "1f1b measured, rank 1"}}));
  EXPECT_EQ(process_of_thread.size(), 8u);
  for (const Json& event : both.at("traceEvents"))
    if (event.at("ph") == "X") {
      EXPECT_EQ(process_of_thread.at(event.at("tid")), event.at("pid"));
    }
  for (const char* phase : {"X", "C", "s", "t", "f"})
    EXPECT_EQ(numbers(both, phase, "pid").size(), 2 * numbers(one, phase, "pid").size()) << phase;
  const std::vector<int64_t> arrows = numbers(both, "s", "id");
  EXPECT_EQ(std::set<int64_t>(arrows.begin(), arrows.end()).size(), arrows.size());
}

TEST(Trace, the_name_of_a_schedule_may_hold_anything) {
  pipewright::Run run;
  run.result.schedule = "torch-csv:a\"b\\c\xff";
  EXPECT_NO_THROW(Json::parse(text_of(run)));
}

TEST(Trace, format) { test::expect_golden("trace.json", text_of(test::tiny_run())); }

}  // namespace
}  // namespace pipewright
