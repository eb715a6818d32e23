// GOAL's semantics by hand-worked examples. Times in nanoseconds; a message takes 10 ns and 1 ns a
// byte.
#include "trace/trace.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "program/names.hpp"
#include "result/result.hpp"
#include "support/error_of.hpp"
#include "support/price_rules.hpp"

namespace pipewright {
namespace {

using test::error_of;

Prices prices() {
  return test::prices_by(
      {.transfer = [](int32_t, int32_t, Bytes bytes) { return nanoseconds(10 + bytes.count); }});
}

/// One string of statements for each rank.
std::string text_of(const std::vector<std::string>& ranks) {
  std::string text = "num_ranks " + std::to_string(ranks.size()) + "\n";
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    text += "rank " + std::to_string(rank) + " {\n" + ranks[rank] + "}\n";
  return text;
}

struct Ran {
  TraceRun run;
  explicit Ran(const std::vector<std::string>& ranks)
      : run(run_trace(goal::parse(text_of(ranks), "f"), prices())) {}

  /// The op that is called so, "l1" or "message of l1", on that rank.
  const Span& span(uint32_t rank, const std::string& called) const {
    for (OpId op = 0; op < run.program.ops.size(); ++op)
      if (run.program.ops[op].rank == rank && name(run.program, op) == called)
        return run.timeline.spans[op];
    throw std::logic_error("no op " + called);
  }
  int64_t start(uint32_t rank, const std::string& called) const {
    return span(rank, called).start.ps / 1000;
  }
  int64_t end(uint32_t rank, const std::string& called) const {
    return span(rank, called).end.ps / 1000;
  }
};

// 100 ns of calc, then 20 bytes: handed over at 100, there at 130; the receiver's calc 130..135.
TEST(Trace, a_message_takes_latency_and_its_bytes) {
  const Ran ran({"a: calc 100\nb: send 20b to 1\nb requires a\n",
                 "a: recv 20b from 0\nb: calc 5\nb requires a\n"});
  EXPECT_EQ(ran.end(0, "b"), 100);
  EXPECT_EQ(ran.end(0, "message of b"), 130);
  EXPECT_EQ(ran.end(1, "a"), 130);
  EXPECT_EQ(ran.end(1, "b"), 135);
}

// The message is there at 10; the receive is ready at 50 and complete at once.
TEST(Trace, a_receive_is_complete_at_the_later_of_arrival_and_readiness) {
  const Ran ran({"send 0b to 1\n", "a: calc 50\nb: recv 0b from 0\nb requires a\n"});
  EXPECT_EQ(ran.end(1, "b"), 50);
}

// While the receive waits until 110 the cpu runs b: it holds none.
TEST(Trace, a_receive_holds_no_cpu) {
  const Ran ran({"send 100b to 1\n", "a: recv 100b from 0\nb: calc 30\n"});
  EXPECT_EQ(ran.end(1, "a"), 110);
  EXPECT_EQ(ran.end(1, "b"), 30);
}

// a 0..10 and b 10..30 on cpu 0, c 0..5 on cpu 1.
TEST(Trace, ops_of_one_cpu_run_one_at_a_time) {
  const Ran ran({"a: calc 10\nb: calc 20\nc: calc 5 cpu 1\n"});
  EXPECT_EQ(ran.start(0, "a"), 0);
  EXPECT_EQ(ran.start(0, "b"), 10);
  EXPECT_EQ(ran.start(0, "c"), 0);
}

// a runs to 10. c is ready at 3, b at 5: c goes first though b has the earlier label.
TEST(Trace, first_ready_goes_first) {
  const Ran ran(
      {"a: calc 10\nb: calc 1\nc: calc 1\nlate: calc 5 cpu 1\nearly: calc 3 cpu 2\n"
       "b requires late\nc requires early\n"});
  EXPECT_EQ(ran.start(0, "c"), 10);
  EXPECT_EQ(ran.start(0, "b"), 11);
}

// A send takes no time but waits for its cpu: behind a calc that was ready before it.
TEST(Trace, a_send_waits_for_its_cpu) {
  const Ran ran(
      {"a: calc 10\nb: send 0b to 1\nb requires c\nc: calc 4 cpu 1\n", "a: recv 0b from 0\n"});
  EXPECT_EQ(ran.start(0, "b"), 10);
  EXPECT_EQ(ran.end(1, "a"), 20);
}

// Both on different cpus: b starts with a, c after it.
TEST(Trace, irequires_is_after_the_start) {
  const Ran ran(
      {"z: calc 7\na: calc 100\na requires z\nb: calc 5 cpu 1\nb irequires a\n"
       "c: calc 5 cpu 2\nc requires a\n"});
  EXPECT_EQ(ran.start(0, "a"), 7);
  EXPECT_EQ(ran.start(0, "b"), 7);
  EXPECT_EQ(ran.start(0, "c"), 107);
}

// The cpu is taken from 0 to 30, so a starts at 30, not when it was ready; b starts with it, and
// the cpu is a's until 130 though d was ready at 1.
TEST(Trace, a_start_is_when_the_cpu_takes_it_up) {
  const Ran ran(
      {"z: calc 30\na: calc 100\nb: calc 5 cpu 1\nb irequires a\nd: calc 1\n"
       "d requires e\ne: calc 1 cpu 2\n"});
  EXPECT_EQ(ran.start(0, "a"), 30);
  EXPECT_EQ(ran.start(0, "b"), 30);
  EXPECT_EQ(ran.start(0, "d"), 130);
}

// A receive starts when it is ready, at 7, though its message comes at 40; a send has no length.
TEST(Trace, irequires_of_messages) {
  const Ran ran({"s: send 30b to 1\nt: calc 2\nt irequires s\n",
                 "z: calc 7\na: recv 30b from 0\na requires z\nb: calc 5 cpu 1\nb irequires a\n"});
  EXPECT_EQ(ran.start(0, "t"), 0);
  EXPECT_EQ(ran.start(1, "b"), 7);
  EXPECT_EQ(ran.end(1, "a"), 40);
}

// Two messages of one channel: `late` is sent at 100, `early` at 0. The receive that is ready first
// (y, at 0) gets the one that was sent first, there at 15; the other (x, ready at 50) gets `late`.
TEST(Trace, messages_match_in_the_order_of_time) {
  const Ran ran({"a: calc 100\nlate: send 5b to 1\nlate requires a\nearly: send 5b to 1 cpu 1\n",
                 "a: calc 50\nx: recv 5b from 0\nx requires a\ny: recv 5b from 0\n"});
  EXPECT_EQ(ran.end(1, "y"), 15);
  EXPECT_EQ(ran.end(1, "x"), 115);
}

// The big message was sent first, so the first receive is its, though the small one overtakes it.
TEST(Trace, messages_of_one_channel_do_not_change_places_on_the_way) {
  const Ran ran({"big: send 90b to 1\nsmall: send 1b to 1\nsmall requires big\n",
                 "x: recv 90b from 0\ny: recv 1b from 0\ny requires x\n"});
  EXPECT_EQ(ran.end(0, "message of small"), 11);
  EXPECT_EQ(ran.end(1, "x"), 100);
  EXPECT_EQ(ran.end(1, "y"), 100);
}

TEST(Trace, messages_with_different_tags_do_not_meet) {
  const Ran ran({"a: send 50b to 1 tag 1\nb: send 1b to 1 tag 2\n",
                 "x: recv 1b from 0 tag 2\ny: recv 50b from 0 tag 1\n"});
  EXPECT_EQ(ran.end(1, "x"), 11);
  EXPECT_EQ(ran.end(1, "y"), 60);
}

TEST(Trace, a_message_to_oneself_takes_no_time) {
  const Ran ran({"a: send 50b to 0\nb: recv 50b from 0\n"});
  EXPECT_EQ(ran.end(0, "b"), 0);
}

// By the file the sizes agree; but the send of 2 bytes goes first, to the receive of 1.
TEST(Trace, sizes_that_meet_in_time_must_agree) {
  EXPECT_EQ(error_of([] {
              Ran({"z: calc 5\na: send 1b to 1\na requires z\nb: send 2b to 1 cpu 1\n",
                   "a: recv 1b from 0\nb: recv 2b from 0\nb requires a\n"});
            }),
            "f:9:1: error: rank 1's a receives 1 bytes from rank 0 with tag 0, but what comes is 2 "
            "bytes: rank 0's b sends 2 bytes to rank 1 with tag 0 at line 6");
}

TEST(Trace, a_deadlock_names_its_cycle) {
  EXPECT_EQ(error_of([] {
              Ran({"a: recv 1b from 1\nb: send 1b to 1\nb requires a\n",
                   "c: recv 1b from 0\nd: send 1b to 0\nd requires c\n"});
            }),
            "f: error: deadlock: rank 0's a waits for rank 1's message of d waits for rank 1's d "
            "waits for "
            "rank 1's c waits for rank 0's message of b waits for rank 0's b waits for rank 0's a");
}

// Two receives of one channel, one of which the send waits for: no order of matching helps.
TEST(Trace, a_deadlock_that_only_matching_makes_names_its_cycle) {
  EXPECT_EQ(error_of([] {
              Ran({"a: send 1b to 1\nb: send 1b to 1\nc: recv 1b from 1\nb requires c\n",
                   "x: recv 1b from 0\ny: recv 1b from 0\nz: send 1b to 0\nz requires x\n"
                   "z requires y\n"});
            }).substr(0, 19),
            "f: error: deadlock:");
}

TEST(Trace, more_time_than_the_clock_has_is_an_error) {
  const std::string calc = "calc 9000000000000000\n";  // 104 days; the clock has 106
  EXPECT_EQ(error_of([&] { Ran({"a: " + calc}); }), "no error");
  EXPECT_EQ(error_of([&] { Ran({calc + calc}); }),
            "f: error: the simulated time exceeds the clock's range of 106 days");
}

TEST(Trace, ops_without_labels_are_named_by_their_lines) {
  const Ran ran({"calc 10\ncalc 7\n"});
  EXPECT_EQ(ran.end(0, "op at line 4"), 17);
}

/// A chain of calcs and messages between eight ranks, with two cpus each.
std::vector<std::string> busy_ranks() {
  std::vector<std::string> ranks(8);
  for (int r = 0; r < 8; ++r) {
    std::string& text = ranks[static_cast<size_t>(r)];
    for (int k = 0; k < 20; ++k) {
      const std::string n = std::to_string(k), length = std::to_string((r * 7 + k * 13) % 29);
      const std::string next = std::to_string((r + 1) % 8), before = std::to_string((r + 7) % 8);
      text += "c" + n + ": calc " + length + "\nd" + n + ": calc 3 cpu 1\n";
      text +=
          "s" + n + ": send 9b to " + next + " cpu 1\nr" + n + ": recv 9b from " + before + "\n";
      text += "s" + n + " requires c" + n + "\nd" + n + " irequires c" + n + "\n";
      if (k > 0) text += "c" + n + " requires r" + std::to_string(k - 1) + "\n";
    }
  }
  return ranks;
}

TEST(Trace, the_program_as_it_ran_gives_the_same_times_without_choices) {
  const Ran ran(busy_ranks());
  const TraceRun& run = ran.run;
  for (const Lane& lane : run.program.lanes) EXPECT_EQ(lane.policy, LanePolicy::in_order);
  const Timeline again = run_longest_path(run.program, run.durations);
  for (OpId op = 0; op < run.program.ops.size(); ++op) {
    ASSERT_EQ(again.spans[op].start, run.timeline.spans[op].start) << describe(run.program, op);
    ASSERT_EQ(again.spans[op].ready, run.timeline.spans[op].ready) << describe(run.program, op);
  }
}

// Every rank computes for as long as its calcs on cpu 0 take.
TEST(Trace, a_trace_can_be_measured) {
  const Ran ran(busy_ranks());
  const Metrics metrics = measure(ran.run.program, ran.run.timeline, schedule_of_trace(8), {});
  ASSERT_EQ(metrics.ranks.size(), 8u);
  for (int r = 0; r < 8; ++r) {
    int64_t total = 0;
    for (int k = 0; k < 20; ++k) total += (r * 7 + k * 13) % 29;
    EXPECT_EQ(metrics.ranks[static_cast<size_t>(r)].compute, nanoseconds(total));
  }
}

// Rank 1 waits from 0 to 30, all of it for the message: over two ranks 15 on average.
TEST(Trace, what_a_message_keeps_waiting_is_exposed) {
  const Ran ran({"a: send 20b to 1\n", "a: recv 20b from 0\nb: calc 5\nb requires a\n"});
  const Metrics metrics = measure(ran.run.program, ran.run.timeline, schedule_of_trace(2), {});
  EXPECT_EQ(metrics.breakdown.exposed[0], nanoseconds(15));
  EXPECT_EQ(metrics.ranks[1].breakdown.communicating(), nanoseconds(30));
  EXPECT_EQ(metrics.ranks[0].breakdown.communicating(), Time{});
}

}  // namespace
}  // namespace pipewright
