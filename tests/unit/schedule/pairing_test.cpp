#include "schedule/pairing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "schedule/kinds/kinds.hpp"

namespace pipewright::schedule {
namespace {

Schedule paired(const Shape& shape, const char* name) {
  Schedule schedule = build(shape, config::scalar(name));
  pair_passes(schedule, {});
  return schedule;
}

/// "F0 (F1 B0) B1"
std::string text_of(const Order& order) {
  std::string text;
  bool in_pair = false;
  for (const Action& a : order) {
    text += text.empty() ? "" : " ";
    text += (a.pairs_with_next ? "(" : "") + std::string(1, letter(a.pass)) +
            std::to_string(a.micro_batch) + (in_pair ? ")" : "");
    in_pair = a.pairs_with_next;
  }
  return text;
}

TEST(Pairing, a_rank_alone_runs_one_forward_more_before_the_first_backward) {
  EXPECT_EQ(text_of(paired({.ranks = 1, .micro_batches = 3}, "1f1b").order[0]),
            "F0 (F1 B0) (F2 B1) B2");
}

TEST(Pairing, a_hop_takes_a_pair_each_way) {
  const Schedule schedule = paired({.ranks = 2, .micro_batches = 5}, "1f1b");
  EXPECT_EQ(text_of(schedule.order[0]), "F0 F1 F2 (F3 B0) (F4 B1) B2 B3 B4");
  EXPECT_EQ(text_of(schedule.order[1]), "F0 (F1 B0) (F2 B1) (F3 B2) (F4 B3) B4");
}

TEST(Pairing, weight_gradients_stay_behind_their_pass) {
  EXPECT_EQ(text_of(paired({.ranks = 1, .micro_batches = 2}, "zb-h1").order[0]),
            "F0 (F1 I0) W0 I1 W1");
}

TEST(Pairing, no_pair_reaches_over_an_optimizer_step) {
  const Schedule schedule = paired({.ranks = 2, .micro_batches = 4, .iterations = 2}, "1f1b");
  for (const Order& order : schedule.order) {
    for (size_t k = 0; k < order.size(); ++k) {
      if (!order[k].pairs_with_next) continue;
      EXPECT_EQ(order[k].micro_batch / 4, order[k + 1].micro_batch / 4);
    }
  }
}

TEST(Pairing, what_runs_no_backward_between_forwards_is_refused) {
  EXPECT_THROW(paired({.ranks = 2, .micro_batches = 4}, "gpipe"), Misfit);
  EXPECT_THROW(paired({.ranks = 2, .micro_batches = 1}, "1f1b"), Misfit);
}

TEST(Pairing, an_asynchronous_schedule_is_refused) {
  EXPECT_THROW(paired({.ranks = 2, .micro_batches = 4, .iterations = 2}, "pipedream"), Misfit);
}

TEST(Pairing, every_schedule_that_takes_pairs_keeps_all_its_passes) {
  int taken = 0;
  for (const Kind* kind : kinds()) {
    Schedule before, after;
    try {
      before = build({.ranks = 4, .micro_batches = 16}, config::scalar(std::string(kind->name)));
      after = before;
      pair_passes(after, {});
    } catch (const Misfit&) {
      continue;
    }
    ++taken;
    for (int rank = 0; rank < before.ranks(); ++rank) {
      const auto sorted = [](Order order) {
        for (Action& a : order) a.pairs_with_next = false;
        std::ranges::sort(order, {}, [](const Action& a) {
          return std::tuple(a.pass, a.stage, a.micro_batch, a.slice);
        });
        return order;
      };
      EXPECT_EQ(sorted(before.order[rank]), sorted(after.order[rank])) << kind->name;
    }
  }
  EXPECT_GE(taken, 3);
}

}  // namespace
}  // namespace pipewright::schedule
