#include "calibrate/live/executor/process_run.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "calibrate/live/messages/ring_traffic.hpp"
#include "calibrate/live/same_program.hpp"
#include "calibrate/live/work/timed_work.hpp"
#include "calibrate/transport/clocks.hpp"
#include "calibrate/transport/memory.hpp"
#include "support/experiments.hpp"

namespace pipewright::live {
namespace {

using namespace std::chrono_literals;

/// What each of `ranks` threads got from `body`, or what it failed with.
struct Outcome {
  Timeline timeline;
  std::string error;
};

template <class F>
std::vector<Outcome> on_ranks(int ranks, std::chrono::milliseconds watchdog, F&& body) {
  const auto transports = transport::memory_transports(ranks);
  std::vector<Outcome> outcomes(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < outcomes.size(); ++rank) {
    threads.emplace_back([&, rank] {
      transport::Session session(*transports[rank], watchdog);
      try {
        outcomes[rank].timeline = body(session);
      } catch (const Failure& failure) {
        outcomes[rank].error = failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

std::vector<Time> durations_of(const Run& run) {
  std::vector<Time> durations;
  for (const Span& span : run.timeline.spans) durations.push_back(span.end - span.start);
  return durations;
}

Run four(const std::string& schedule, const std::string& more = "",
         const std::string& forward = "1 ms", const std::string& backward = "2 ms") {
  config::Value experiment =
      test::experiment("model: {synthetic: {devices: 4, microbatches: 8, forward: " + forward +
                       ", backward: " + backward +
                       ",\n"
                       "                    boundary: 64 KiB, weights: 1 MiB}}\n"
                       "cluster: {devices: 4, link: {latency: 0 s, bandwidth: 10 GB/s}}\n" +
                       more + "schedule: " + schedule + "\n");
  return test::run(experiment, false);
}

// Ranks that know of each other only by packets keep to the order of the program: whatever an op
// comes after has ended when it starts. The threads of this test have one clock, so that what the
// alignment of clocks leaves is the trip of a packet: well below the 10 ms of a pass where the
// machine does nothing else.
void expect_order_kept(const Run& run, const Timeline& live, const std::string& name) {
  for (OpId op = 0; op < run.program.ops.size(); ++op)
    for (const Edge edge : run.program.after(op))
      ASSERT_LE(live.spans[op].end, live.spans[edge.to()].start + milliseconds(8)) << name;
}

void expect_same_timeline(const Timeline& one, const Timeline& other, const std::string& name) {
  ASSERT_EQ(one.spans.size(), other.spans.size()) << name;
  for (OpId op = 0; op < one.spans.size(); ++op)
    ASSERT_EQ(one.spans[op].end, other.spans[op].end) << name;
}

TEST(ProcessRun, keeps_the_order_of_every_schedule) {
  for (const char* name : {"gpipe", "1f1b", "zb-h1", "dualpipe", "chimera", "interleaved-1f1b"}) {
    const pipewright::Run run = four(name, "", "10 ms", "20 ms");
    const auto outcomes = on_ranks(4, 10s, [&](transport::Session& session) {
      TimedWork work(durations_of(run));
      return run_over_processes(run.program, work, session);
    });
    for (const Outcome& outcome : outcomes) {
      ASSERT_EQ(outcome.error, "") << name;
      expect_order_kept(run, outcome.timeline, name);
      expect_same_timeline(outcome.timeline, outcomes[0].timeline, name);
    }
  }
}

// Of a send that holds a lane the ends are told to ranks that do not see them. The last of these
// words come when a rank has seen all of its own ops end; runs one after the other, as repetitions
// are, show that none of them is left for the next.
TEST(ProcessRun, sends_that_wait_end_every_time) {
  constexpr int times = 10;
  for (const char* mode : {"rendezvous", "sender", "{buffered: 100 KB}"}) {
    for (const char* name : {"gpipe", "1f1b", "interleaved-1f1b"}) {
      const pipewright::Run run =
          four(name, std::string("overlap: {p2p: ") + mode + "}\n", "100 us", "200 us");
      const auto outcomes = on_ranks(4, 10s, [&](transport::Session& session) {
        Timeline last;
        for (int i = 0; i < times; ++i) {
          TimedWork work(durations_of(run));
          last = run_over_processes(run.program, work, session);
        }
        return last;
      });
      for (const Outcome& outcome : outcomes) {
        ASSERT_EQ(outcome.error, "") << name << ' ' << mode;
      }
    }
  }
}

/// Three replicas of two chunks and one of two tensor ranks, of which each sends to the other.
Run unlike_meshes(const std::string& mode) {
  const config::Value experiment = test::experiment(
      "model: {transformer: {layers: 4, hidden: 64, heads: 4, ffn: 256, vocabulary: 100}}\n"
      "cluster: {devices: 5, device: {flops: {bf16: 100 GFLOP/s}, memory: 1 GiB,\n"
      "  memory_bandwidth: 10 GB/s}, link: {latency: 0 s, bandwidth: 1 GB/s}}\n"
      "batch: {global: 12, micro: 1, sequence: 32}\nschedule: interleaved-1f1b\n"
      "strategy: [{layers: [0, 2], devices: 0-2, data: 3}, {layers: [1, 3], devices: 3-4,\n"
      "  tensor: 2, data: 1}]\noverlap: {p2p: " +
      mode + "}\n");
  return test::run(experiment, false);
}

std::vector<Outcome> live_outcomes(const Run& run, int ranks) {
  return on_ranks(ranks, 10s, [&](transport::Session& session) {
    TimedWork work(durations_of(run));
    return run_over_processes(run.program, work, session);
  });
}

TEST(ProcessRun, meshes_that_are_not_alike_meet_whoever_waits) {
  for (const char* mode : {"async", "sender", "rendezvous"}) {
    const pipewright::Run run = unlike_meshes(mode);
    const std::vector<Outcome> outcomes = live_outcomes(run, 5);
    for (const Outcome& outcome : outcomes) {
      ASSERT_EQ(outcome.error, "") << mode;
      expect_same_timeline(outcome.timeline, outcomes[0].timeline, mode);
    }
  }
}

TEST(ProcessRun, keeps_the_order_of_meshes_that_are_not_alike) {
  for (const char* mode : {"async", "sender", "rendezvous"}) {
    const pipewright::Run run = unlike_meshes(mode);
    for (const Outcome& outcome : live_outcomes(run, 5))
      expect_order_kept(run, outcome.timeline, mode);
  }
}

TEST(ProcessRun, names_the_rank_that_does_not_come) {
  const pipewright::Run run = four("1f1b");
  const auto outcomes = on_ranks(4, 1s, [&](transport::Session& session) -> Timeline {
    if (session.rank() == 2) return {};
    TimedWork work(durations_of(run));
    return run_over_processes(run.program, work, session);
  });
  for (const size_t rank : {0u, 1u, 3u})
    EXPECT_NE(outcomes[rank].error.find("nothing heard for 1 s from rank 2"), std::string::npos)
        << outcomes[rank].error;
}

struct Hanging final : DeviceWork {
  OpId stuck = none;
  std::atomic<bool>* release = nullptr;
  void compute(OpId op) override {
    while (op == stuck && !*release) std::this_thread::sleep_for(1ms);
  }
  void communicate(OpId) override {}
};

// The last rank's first forward never ends: all say so within the watchdog's time, and the first
// rank has what ran before it.
TEST(ProcessRun, ends_when_nobody_gets_on) {
  const pipewright::Run run = four("1f1b");
  OpId stuck = 0;
  while (run.program.ops[stuck].rank != 3 || run.program.type(stuck).kind != OpKind::compute)
    ++stuck;
  std::atomic<bool> release = false;
  std::vector<Hanging> works(4);
  Timeline kept;
  const auto outcomes = on_ranks(4, 1s, [&](transport::Session& session) {
    Hanging& work = works[static_cast<size_t>(session.rank())];
    work.stuck = stuck;
    work.release = &release;
    return run_over_processes(run.program, work, session, [&](const Timeline& so_far) {
      if (session.is_first()) kept = so_far;
    });
  });
  release = true;
  for (const Outcome& outcome : outcomes)
    EXPECT_NE(outcome.error.find("is at 3F0"), std::string::npos) << outcome.error;
  EXPECT_GT(kept.spans[run.program.order(0)[0]].end, Time{});
  std::this_thread::sleep_for(20ms);  // its thread leaves `works`
}

TEST(ProcessRun, tells_all_ranks_that_they_do_not_have_the_same) {
  const auto outcomes = on_ranks(3, 10s, [&](transport::Session& session) -> Timeline {
    agree(session, {1, session.rank() == 1 ? 8u : 7u, 0, ""});
    return {};
  });
  for (const Outcome& outcome : outcomes)
    EXPECT_NE(outcome.error.find("rank 1 (here) runs another experiment"), std::string::npos);
}

TEST(RingTraffic, an_all_reduce_sends_what_the_formula_says) {
  // 3 members, 12 bytes: 2 (n - 1) = 4 steps of S / n = 4 bytes to the next.
  const std::vector<uint32_t> members = {5, 2, 9};
  EXPECT_EQ(ring_steps(CollectiveKind::all_reduce, 3), 4);
  const RingStep step = ring_step(CollectiveKind::all_reduce, members, 9, 3, Bytes{12});
  EXPECT_EQ(step.to, 5u);
  EXPECT_EQ(step.from, 2u);
  EXPECT_EQ(step.bytes.count, 4);
}

TEST(RingTraffic, an_all_to_all_reaches_everybody_once) {
  const std::vector<uint32_t> members = {5, 2, 9};
  EXPECT_EQ(ring_steps(CollectiveKind::all_to_all, 3), 2);
  EXPECT_EQ(ring_step(CollectiveKind::all_to_all, members, 5, 0, Bytes{12}).to, 2u);
  EXPECT_EQ(ring_step(CollectiveKind::all_to_all, members, 5, 1, Bytes{12}).to, 9u);
  EXPECT_EQ(ring_step(CollectiveKind::all_to_all, members, 5, 1, Bytes{12}).from, 2u);
}

TEST(Clocks, the_shortest_trip_tells_the_offset) {
  // The other clock is 1000 ahead. A round of 10 there and 10 back is exact; one that is held up
  // for 100 on its way back would be off by 50.
  const transport::Round slow{.sent = 0, .replied = 1010, .received = 120};
  const transport::Round fast{.sent = 200, .replied = 1210, .received = 220};
  const transport::Offset offset = transport::estimate(std::vector{slow, fast});
  EXPECT_EQ(offset.ahead, 1000);
  EXPECT_EQ(offset.trip, 20);
}

}  // namespace
}  // namespace pipewright::live
