// The closed forms of GPipe, 1F1B and its variants, by exact longest path.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "longest_path.hpp"
#include "support/built_schedule.hpp"

namespace pipewright::schedule {
namespace {

using test::built;
using test::evaluate;
using test::makespan;
using test::peak_in_flight;
using test::Times;

/// Calls check(p, m) for p up to 8 and m up to 3p + 2.
template <class Check>
void for_each_shape(Check check) {
  for (int p = 1; p <= 8; ++p)
    for (int m = 1; m <= 3 * p + 2; ++m) check(p, m);
}

/// Calls check(tF, tB) for a few pairs, either one the longer.
template <class Check>
void for_a_few_times(Check check) {
  for (const auto& [f, b] : {std::pair{1, 2}, {3, 3}, {5, 4}, {7, 1}, {2, 11}}) check(f, b);
}

Times uniform(int64_t f, int64_t b, int64_t hop = 0) {
  return {.forward = Time{f}, .backward = Time{b}, .hop = Time{hop}};
}

std::vector<Time> random_times(std::mt19937& random, int stages) {
  std::uniform_int_distribution<int64_t> length(1, 40);
  std::vector<Time> times;
  for (int i = 0; i < stages; ++i) times.push_back(Time{length(random)});
  return times;
}

Time sum(const std::vector<Time>& times) {
  return std::accumulate(times.begin(), times.end(), Time{});
}

TEST(GPipe, takes_the_closed_form_with_latency) {
  // T = (m+p-1)(tF+tB) + 2(p-1)c, in either backward order.
  for (const char* spec : {"gpipe", "{name: gpipe, backward_order: reversed}"}) {
    for_each_shape([&](int p, int m) {
      for_a_few_times([&](int64_t f, int64_t b) {
        for (int64_t c : {0, 1, 9}) {
          EXPECT_EQ(makespan(evaluate(built(spec, p, m), uniform(f, b, c))).ps,
                    (m + p - 1) * (f + b) + 2 * (p - 1) * c)
              << spec << " " << p << " " << m;
        }
      });
    });
  }
}

TEST(GPipe, of_unlike_stages_is_held_up_by_the_slowest_of_each_phase) {
  // T = sum F + sum B + (m-1)(max F + max B), no latency.
  std::mt19937 random(1);
  for_each_shape([&](int p, int m) {
    const std::vector<Time> f = random_times(random, p), b = random_times(random, p);
    EXPECT_EQ(makespan(evaluate(built("gpipe", p, m), {.forward = f, .backward = b})),
              sum(f) + sum(b) + (m - 1) * (std::ranges::max(f) + std::ranges::max(b)))
        << p << " " << m;
  });
}

TEST(OneFOneB, takes_the_closed_form_without_latency) {
  // T = (m+p-1)(tF+tB), whatever m is; also on devices that send while they compute.
  for (const char* spec : {"1f1b", "bpipe", "eager-1f1b", "1f1b-as"}) {
    for_each_shape([&](int p, int m) {
      for_a_few_times([&](int64_t f, int64_t b) {
        EXPECT_EQ(makespan(evaluate(built(spec, p, m), uniform(f, b))).ps, (m + p - 1) * (f + b))
            << spec << " " << p << " " << m;
      });
    });
  }
}

TEST(OneFOneB, pays_latency_for_each_round_of_p_micro_batches) {
  // p divides m: T = (m+p-1)(tF+tB) + 2c[(p-1)(m/p + 1) - 1]; one rank has no hop.
  for (int p = 2; p <= 8; ++p) {
    for (int rounds = 1; rounds <= 5; ++rounds) {
      const int m = rounds * p;
      for_a_few_times([&](int64_t f, int64_t b) {
        for (int64_t c : {1, 4, 30}) {
          EXPECT_EQ(makespan(evaluate(built("1f1b", p, m), uniform(f, b, c))).ps,
                    (m + p - 1) * (f + b) + 2 * c * ((p - 1) * (rounds + 1) - 1))
              << p << " " << m << " c=" << c;
        }
      });
    }
  }
}

TEST(OneFOneB, of_unlike_stages_can_take_longer_than_planners_print) {
  // sum (F_i + B_i) + (m-1) max (F_i + B_i) is no bound. p = m = 3, F = 10, 1, 1, B = 1, 10, 1:
  // rank 1 waits for 0F1 until 20, then works without a gap: 1F1 20..21, 1B0 ..31, 1F2 ..32,
  // 1B1 ..42, 1B2 ..52, and 0B2 ends at 53. The planners' figure is 24 + 2 * 11 = 46.
  const Times times{.forward = std::vector<Time>{{10}, {1}, {1}},
                    .backward = std::vector<Time>{{1}, {10}, {1}}};
  EXPECT_EQ(makespan(evaluate(built("1f1b", 3, 3), times)).ps, 53);
}

TEST(OneFOneB, holds_fewer_micro_batches_the_later_the_stage) {
  for (const char* spec : {"1f1b", "bpipe", "1f1b-as", "1f1b-sno"}) {
    for_each_shape([&](int p, int m) {
      for (int i = 0; i < p; ++i)
        EXPECT_EQ(peak_in_flight(built(spec, p, m))[i], std::min(m, p - i)) << spec;
    });
  }
}

TEST(EagerOneFOneB, hides_latency_up_to_half_of_a_forward_and_backward) {
  // 2c <= tF+tB: T = (m+p-1)(tF+tB) + 2(p-1)c.
  for_each_shape([&](int p, int m) {
    for_a_few_times([&](int64_t f, int64_t b) {
      for (int64_t c = 0; 2 * c <= f + b; ++c) {
        EXPECT_EQ(makespan(evaluate(built("eager-1f1b", p, m), uniform(f, b, c))).ps,
                  (m + p - 1) * (f + b) + 2 * (p - 1) * c)
            << p << " " << m << " c=" << c;
      }
    });
  });
}

TEST(EagerOneFOneB, holds_twice_the_micro_batches_less_one) {
  for_each_shape([&](int p, int m) {
    for (int i = 0; i < p; ++i) {
      EXPECT_EQ(peak_in_flight(built("eager-1f1b", p, m))[i], std::min(m, 2 * (p - i) - 1));
      EXPECT_EQ(peak_in_flight(built("1f1b-so", p, m))[i], std::min(m, 2 * (p - i) - 1));
    }
  });
}

TEST(EagerOneFOneB, a_split_backward_sends_its_gradient_no_later) {
  // The same order with every gradient leaving tW earlier: no action can end later.
  for_each_shape([&](int p, int m) {
    const Times times{.forward = Time{4},
                      .backward = Time{7},
                      .input_gradient = Time{4},
                      .weight_gradient = Time{3},
                      .hop = Time{20}};
    const Time whole = makespan(evaluate(built("eager-1f1b", p, m), times));
    const Time split =
        makespan(evaluate(built("{name: eager-1f1b, split_backward: true}", p, m), times));
    EXPECT_LE(split, whole);
    if (p > 1) {
      EXPECT_LT(split, whole) << "the last gradient reaches rank 0 earlier " << p << " " << m;
    }
  });
}

TEST(OneFOneBSno, pays_two_sends_in_every_step) {
  // A blocking send of length SR makes its pass longer. p >= 3:
  // T = (m+p-1)(tF+tB) + SR (2 (m+p-2) - [m > 1]): the first micro-batch meets 2 (p-1) sends on its
  // way, each other two of rank p-2, but for the last backward there, which follows on one of the
  // last rank.
  for (int p = 3; p <= 8; ++p) {
    for (int m = 1; m <= 3 * p; ++m) {
      for_a_few_times([&](int64_t f, int64_t b) {
        const int64_t sr = 3;
        std::vector<Time> forward(p, Time{f + sr}), backward(p, Time{b + sr});
        forward.back() = Time{f};    // the last stage sends nothing on,
        backward.front() = Time{b};  // the first nothing back
        EXPECT_EQ(
            makespan(evaluate(built("1f1b-sno", p, m), {.forward = forward, .backward = backward}))
                .ps,
            (m + p - 1) * (f + b) + sr * (2 * (m + p - 2) - (m > 1)));
      });
    }
  }
}

TEST(BaPipe, says_how_its_devices_send) {
  EXPECT_EQ(built("1f1b", 2, 2).sends, Sends::as_asked);
  EXPECT_EQ(built("1f1b-as", 2, 2).sends, Sends::streamed);
  EXPECT_EQ(built("1f1b-sno", 2, 2).sends, Sends::blocking);
  EXPECT_EQ(built("fbp-as", 2, 2).sends, Sends::streamed);
  EXPECT_TRUE(built("fbp-as", 2, 2).parallel_passes);
  EXPECT_FALSE(built("1f1b-as", 2, 2).parallel_passes);
}

TEST(FbpAs, runs_one_forward_and_one_backward_of_equal_length_in_every_step) {
  // Both servers take t: the first F starts at step 0, the last stage's first B at step p, and
  // rank 0 ends the last B after m + 2p - 1 steps.
  for_each_shape([&](int p, int m) {
    const auto run = evaluate(built("fbp-as", p, m), uniform(5, 5), test::Servers::two);
    EXPECT_EQ(makespan(run).ps, (m + 2 * p - 1) * 5) << p << " " << m;
  });
}

TEST(FbpAs, holds_twice_what_1f1b_holds) {
  for_each_shape([&](int p, int m) {
    for (int i = 0; i < p; ++i)
      EXPECT_EQ(peak_in_flight(built("fbp-as", p, m))[i], std::min(m, 2 * (p - i)));
  });
}

/// Most activations in each rank's memory where evicted ones count at their host. Moves take no
/// time: an activation leaves right before the next F, when its space is needed at the latest.
std::vector<int> most_resident(const Schedule& s) {
  std::vector<int> own(s.order.size()), guests(s.order.size());
  for (int rank = 0; rank < s.ranks(); ++rank) {
    std::map<int, int> leaving, returning;  // by position of the order
    for (const Eviction& e : s.evictions) {
      if (e.rank != rank) continue;
      ++leaving[e.leaves_after];
      ++returning[e.returns_after];
    }
    int here = 0, away = 0, waiting = 0;  // waiting: may leave, and does when an F needs space
    int most_away = 0;
    const Order& order = s.order[rank];
    for (int k = 0; k < static_cast<int>(order.size()); ++k) {
      if (order[k].pass == Pass::forward) {
        here -= waiting, away += waiting, waiting = 0;
        own[rank] = std::max(own[rank], ++here);
      } else {
        --here;
      }
      waiting += leaving.contains(k) ? leaving[k] : 0;
      if (returning.contains(k)) here += returning[k], away -= returning[k];
      most_away = std::max(most_away, away);
    }
    guests[s.ranks() - 1 - rank] = most_away;
  }
  for (size_t rank = 0; rank < own.size(); ++rank) own[rank] += guests[rank];
  return own;
}

TEST(BPipe, no_rank_holds_more_than_half_the_ranks_and_one) {
  // ceil((p+2)/2), own and guests together, also over several iterations.
  for_each_shape([&](int p, int m) {
    for (int iterations : {1, 3})
      for (int held : most_resident(built("bpipe", p, m, iterations)))
        EXPECT_LE(held, (p + 3) / 2) << p << " " << m;
  });
}

TEST(BPipe, moves_each_activation_at_most_once_between_its_forward_and_backward) {
  for_each_shape([&](int p, int m) {
    const Schedule s = built("bpipe", p, m, 2);
    std::map<std::pair<int, int>, int> times_moved;
    for (const Eviction& e : s.evictions) {
      const Order& order = s.order[e.rank];
      EXPECT_EQ(order[e.leaves_after], [&] {
        Action f = forward(e.stage, e.micro_batch);
        f.weight_version = e.micro_batch / m;
        return f;
      }());
      EXPECT_LT(e.leaves_after, e.returns_after);
      EXPECT_EQ(order[e.returns_after].pass, Pass::backward);
      EXPECT_LT(order[e.returns_after].micro_batch, e.micro_batch) << "back before its backward";
      EXPECT_EQ(e.host, p - 1 - e.rank);
      EXPECT_EQ(++times_moved[std::pair(e.rank, e.micro_batch)], 1);
    }
  });
}

TEST(BPipe, rank_0_of_8_moves_every_micro_batch_of_the_steady_state) {
  // p = 8: 8 in flight against room for 5. Micro-batches 0 to 3 stay; 4 to m-2 leave before the F
  // that follows theirs; the last, with no F after it, stays: m - 5 moves.
  for (int m : {8, 12, 30}) {
    const Schedule s = built("bpipe", 8, m);
    EXPECT_EQ(std::ranges::count(s.evictions, 0, &Eviction::rank), m - 5) << m;
  }
}

}  // namespace
}  // namespace pipewright::schedule
