// What must hold of the trace of any schedule under any way of sending, or viewers draw it wrong.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/trace/trace.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

using Json = nlohmann::json;

struct Slice {
  double start, end;
};

struct Trace {
  std::map<int, std::vector<Slice>> threads;
  std::map<int, std::map<char, Json>> arrows;  // by id, then phase
};

Trace trace_of(const Simulated& simulated) {
  Run run;
  run.program = simulated.program;
  run.timeline = simulated.timeline;
  std::stringstream text;
  write_trace(run, text);
  const Json json = Json::parse(text);
  Trace trace;
  for (const Json& event : json.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "X") {
      const double start = event.at("ts");
      trace.threads[event.at("tid")].push_back({start, start + event.at("dur").get<double>()});
    } else if (phase == "s" || phase == "t" || phase == "f") {
      trace.arrows[event.at("id")][phase[0]] = event;
    }
  }
  return trace;
}

/// A millionth of a picosecond in microseconds: what adding two doubles may lose.
constexpr double rounding = 1e-12;

void expect_no_overlap(std::vector<Slice> slices) {
  std::sort(slices.begin(), slices.end(),
            [](const Slice& a, const Slice& b) { return a.start < b.start; });
  for (size_t k = 1; k < slices.size(); ++k)
    ASSERT_GE(slices[k].start, slices[k - 1].end - rounding);
}

void expect_bound(const Trace& trace, const Json& arrow) {
  const double at = arrow.at("ts");
  const std::vector<Slice>& slices = trace.threads.at(arrow.at("tid"));
  EXPECT_TRUE(std::any_of(slices.begin(), slices.end(), [&](const Slice& slice) {
    return slice.start <= at && at < slice.end;
  })) << arrow;
}

size_t transfers(const Program& program) {
  size_t n = 0;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpType& type = program.type(op);
    n += type.kind == OpKind::transfer && !type.moves_activation;
  }
  return n;
}

void check(const Simulated& simulated) {
  const Trace trace = trace_of(simulated);
  for (const auto& [thread, slices] : trace.threads) expect_no_overlap(slices);
  EXPECT_EQ(trace.arrows.size(), transfers(simulated.program));
  for (const auto& [id, points] : trace.arrows) {
    ASSERT_EQ(points.size(), 3u);
    for (const auto& [phase, arrow] : points) expect_bound(trace, arrow);
    EXPECT_LE(points.at('s').at("ts").get<double>(), points.at('t').at("ts").get<double>());
    EXPECT_LE(points.at('t').at("ts").get<double>(), points.at('f').at("ts").get<double>());
  }
}

Times prime_times() {
  Times times;
  times.forward = picoseconds(10'007);
  times.backward = picoseconds(20'011);
  times.input_gradient = picoseconds(9'001);
  times.weight_gradient = picoseconds(11'003);
  times.hop = picoseconds(25'013);  // longer than a pass, so that sends overlap
  return times;
}

TEST(Trace, slices_never_overlap_and_every_message_is_an_arrow) {
  for (const schedule::Kind* kind : schedule::kinds()) {
    for (const int p : {2, 4}) {
      Schedule schedule;
      try {
        schedule = schedule::build({.ranks = p, .micro_batches = 2 * p, .iterations = 2},
                                   config::scalar(kind->name));
      } catch (const Misfit&) {
        continue;
      }
      for (const SendMode mode : {SendMode::async, SendMode::buffered, SendMode::sender}) {
        SCOPED_TRACE(std::string(kind->name) + " on " + std::to_string(p));
        check(run_schedule(schedule, prime_times(), mode));
      }
    }
  }
}

}  // namespace
}  // namespace pipewright::test
