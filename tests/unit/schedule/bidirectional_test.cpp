// DualPipe, DualPipeV, Chimera and Hanayo: orders small enough to write by hand, options and
// shapes.
#include <gtest/gtest.h>

#include "built.hpp"
#include "error_of.hpp"
#include "order_text.hpp"

namespace pipewright::schedule {
namespace {

using test::error_of;
using test::order_text;

TEST(DualPipe, on_two_ranks_both_are_at_the_turn) {
  // p = 2: h = 1, r = 0, n = 2. (2) F0 F1; (4) once: the first F0 and B1 apart, then the pair
  // F1|B0; (6) B1 whole, I0; (8) W.
  const Schedule s = built("dualpipe", 2, 4);
  EXPECT_EQ(order_text(s.order[0]), "0F0 1F2 0F1 1B2 (1F3 0B0) 1B3 0I1 0W1");
  EXPECT_EQ(order_text(s.order[1]), "0F2 1F0 0F3 1B0 (1F1 0B2) 1B1 0I3 0W3");
}

TEST(DualPipe, shapes_that_do_not_fit_say_what_would) {
  EXPECT_EQ(error_of([] { built("dualpipe", 3, 8); }),
            "s.yaml:1:1: error: dualpipe needs an even number of ranks, not 3");
  EXPECT_EQ(error_of([] { built("dualpipe", 4, 9); }),
            "s.yaml:1:1: error: dualpipe needs an even number of micro-batches, at least twice its "
            "4 ranks: 8 or more, not 9");
  EXPECT_EQ(error_of([] { built("dualpipe", 4, 6); }),
            "s.yaml:1:1: error: dualpipe needs an even number of micro-batches, at least twice its "
            "4 ranks: 8 or more, not 6");
  EXPECT_EQ(error_of([] { built("dualpipe-v", 4, 7); }),
            "s.yaml:1:1: error: dualpipe-v needs at least twice as many micro-batches as ranks: 8 "
            "or more, not 7");
  EXPECT_THROW(built("dualpipe", 3, 8), Misfit);
  EXPECT_THROW(built("dualpipe-v", 4, 7), Misfit);
}

TEST(DualPipeV, on_one_rank_runs_both_chunks_by_the_steps) {
  // p = 1: h = 1, r = 0, n = 2: as the rank at DualPipe's turn.
  const Schedule s = built("dualpipe-v", 1, 2);
  EXPECT_EQ(order_text(s.order[0]), "0F0 1F0 0F1 1B0 (1F1 0B0) 1B1 0I1 0W1");
}

TEST(Chimera, on_four_ranks_is_the_papers_figure) {
  // Slots 2j + s and 2j + 2p-1 - s. Rank 0 holds stage 0 of the down pipeline (micro-batches 0, 1:
  // F at 0, 2, B at 7, 9) and stage 3 of the up pipeline (2, 3: F at 3, 5, B at 4, 6).
  const Schedule s = built("chimera", 4, 4);
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 3F2 3B2 3F3 3B3 0B0 0B1");
  // Rank 1: stage 1 down (F 1, 3, B 6, 8), stage 2 up (F 2, 4, B 5, 7).
  EXPECT_EQ(order_text(s.order[1]), "1F0 2F2 1F1 2F3 2B2 1B0 2B3 1B1");
  EXPECT_EQ(order_text(s.order[3]), "0F2 0F3 3F0 3B0 3F1 3B1 0B2 0B3");
}

TEST(Chimera, a_last_unit_may_be_smaller) {
  // Three micro-batches on two ranks: a whole unit (0 down, 1 up), then one more downwards at +4.
  const Schedule s = built("chimera", 2, 3);
  EXPECT_EQ(order_text(s.order[0]), "0F0 1F1 1B1 0B0 0F2 0B2");
  EXPECT_EQ(order_text(s.order[1]), "0F1 1F0 1B0 0B1 1F2 1B2");
}

TEST(Chimera, doubling_runs_two_forwards_in_a_slot) {
  // Two ranks, a unit of four micro-batches: 0 and 1 down, 2 and 3 up. Rank 0 holds stage 0 of the
  // one (F at 0, B at 3, 5) and stage 1 of the other (F at 1, B at 2, 4).
  const Schedule s = built("{name: chimera, doubling: true}", 2, 4);
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 1F2 1F3 1B2 0B0 1B3 0B1");
  EXPECT_EQ(order_text(s.order[1]), "0F2 0F3 1F0 1F1 1B0 0B2 1B1 0B3");
}

TEST(Chimera, shapes_that_do_not_fit_say_what_would) {
  EXPECT_EQ(error_of([] { built("chimera", 5, 5); }),
            "s.yaml:1:1: error: chimera needs an even number of ranks, not 5");
  EXPECT_EQ(error_of([] { built("{name: chimera, pipelines: 4}", 6, 6); }),
            "s.yaml:1:1: error: chimera with 4 pipelines does not fit 6 ranks; half as many "
            "upwards as downwards must divide half of the ranks");
  EXPECT_THROW(built("{name: chimera, pipelines: 3}", 6, 6), Misfit);
}

TEST(Hanayo, one_wave_on_two_ranks) {
  // tF = 1, tB = 2, stages 0 1 | 1 0: 0F0 0..1, 1F0 1..2, 2F0 2..3, 3F0 3..4, 3B0 4..6, 2B0 6..8,
  // 1B0 8..10, 0B0 10..12. Micro-batch 1 one behind: 0F1 1..2, 1F1 3..4 (2F0 is older), 2F1 4..5,
  // 3F1 6..7 (3B0 runs), 3B1 7..9, 2B1 10..12 (1B0 is older), 1B1 12..14, 0B1 14..16.
  const Schedule s = built("hanayo", 2, 2);
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 3F0 3B0 3F1 3B1 0B0 0B1");
  EXPECT_EQ(order_text(s.order[1]), "1F0 2F0 1F1 2F1 2B0 1B0 2B1 1B1");
}

TEST(Hanayo, waves_must_be_a_number_of_waves) {
  EXPECT_EQ(error_of([] { built("{name: hanayo, waves: 0}", 4, 4); }),
            "s.yaml:1:23: error: '0' must be a whole number from 1 to 64");
}

}  // namespace
}  // namespace pipewright::schedule
