#include "interop/run_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/trace/trace.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_run.hpp"

namespace pipewright::test {
namespace {

using testing::HasSubstr;

std::string trace_of(std::vector<TracedRun> runs) {
  std::ostringstream out;
  write_trace(runs, out);
  return out.str();
}

RunTrace trace_in(const std::string& text) {
  return read_run_trace(TemporaryFolder().write("run.json", text));
}

std::string refusal(const std::string& text) {
  return error_of([&] { trace_in(text); });
}

// Every pass of the program is there, from its start to its end.
TEST(RunTrace, what_was_written_is_read) {
  const pipewright::Run run = tiny_run();
  const RunTrace trace = trace_in(trace_of({{run, ""}}));
  ASSERT_EQ(trace.ranks.size(), run.program.ranks.size());
  size_t passes = 0;
  for (OpId op = 0; op < run.program.ops.size(); ++op) {
    if (run.program.type(op).kind != OpKind::compute) continue;
    ++passes;
    const Span span = run.timeline.spans[op];
    EXPECT_TRUE(std::ranges::any_of(trace.slices, [&](const RunSlice& one) {
      return one.kind <= RunSliceKind::pair && one.rank == run.program.ops[op].rank &&
             one.start == span.start && one.end == span.end &&
             one.micro_batch == run.program.ops[op].micro_batch;
    }));
  }
  EXPECT_EQ(passes, static_cast<size_t>(std::ranges::count_if(
                        trace.slices, [](auto& one) { return one.kind <= RunSliceKind::pair; })));
}

TEST(RunTrace, the_run_that_was_measured_is_meant) {
  const pipewright::Run run = tiny_run();
  EXPECT_EQ(trace_in(trace_of({{run, "1f1b predicted"}, {run, "1f1b measured"}})).name,
            "1f1b measured");
}

TEST(RunTrace, of_several_none_is_guessed) {
  const pipewright::Run run = tiny_run();
  const std::string said = refusal(trace_of({{run, "gpipe"}, {run, "1f1b"}}));
  EXPECT_NE(said.find("'gpipe', '1f1b'"), std::string::npos) << said;
}

TEST(RunTrace, broken_events_are_named_by_their_line) {
  const auto refused = [](const std::string& event) {
    return refusal(R"({"otherData":{"schema":"pipewright.trace/1"},"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"rank 0","run":""}},
)" + event + "]}");
  };
  EXPECT_THAT(refused(R"({"ph":"X","pid":1,"ts":-1,"dur":1,"cat":"forward","args":{}})"),
              HasSubstr(":3: error: 'ts' of this event must be a time"));
  EXPECT_THAT(refused(R"({"ph":"X","pid":1,"ts":0,"dur":1,"cat":"forward","args":{"stage":-4}})"),
              HasSubstr("'stage' of this event must be a whole number"));
  EXPECT_THAT(refused(R"({"ph":"X","pid":1,"ts":0,"dur":1,"cat":"forward","args":{"slice":2000}})"),
              HasSubstr("'slice' of this event must be a whole number from 0 to 1024"));
  EXPECT_THAT(refused(R"({"ph":"X","pid":7,"ts":0,"dur":1,"cat":"forward","args":{}})"),
              HasSubstr("no event before this one names its process"));
  EXPECT_THAT(refused(R"({"ph":"X","pid":1,"ts":0,"dur":1,"cat":"data","name":"x","args":{}})"),
              HasSubstr("no pass of a pipeline"));
}

TEST(RunTrace, is_told_by_its_head) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_run_trace(folder.write("ours.json", trace_of({{tiny_run(), ""}}))));
  EXPECT_FALSE(is_run_trace(folder.write("other.json", R"({"traceEvents":[]})")));
}

}  // namespace
}  // namespace pipewright::test
