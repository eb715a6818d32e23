// V-Half and V-Min (arXiv 2405.15362): the peaks and bubbles of the authors' own implementation at
// 4, 6 and 8 ranks, found by running it.
#include <gtest/gtest.h>

#include "longest_path.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::schedule {
namespace {

struct Published {
  const char* name;
  int ranks;
  int peak_chunks;  // to W
  int64_t bubble;   // max span - work, in passes
};
constexpr Published published[] = {{"v-half", 4, 6, 5}, {"v-half", 6, 8, 11}, {"v-half", 8, 10, 17},
                                   {"v-min", 4, 4, 11}, {"v-min", 6, 6, 17},  {"v-min", 8, 8, 27}};

TEST(ControllableMemory, has_the_published_bubble_whatever_m_is) {
  const test::Times unit{.forward = Time{1}, .input_gradient = Time{1}, .weight_gradient = Time{1}};
  for (const Published& known : published) {
    for (int m : {2 * known.ranks, 3 * known.ranks, 40, 65}) {
      const Schedule s =
          build({.ranks = known.ranks, .micro_batches = m}, config::scalar(known.name));
      EXPECT_EQ(test::max_span(evaluate(s, unit)).ps, 6 * m + known.bubble)
          << known.name << " " << known.ranks << " " << m;
    }
  }
}

TEST(ControllableMemory, has_the_published_peak) {
  for (const Published& known : published) {
    for (int m : {2 * known.ranks, 3 * known.ranks, 40, 65}) {
      const Schedule s =
          build({.ranks = known.ranks, .micro_batches = m}, config::scalar(known.name));
      EXPECT_EQ(std::ranges::max(test::peak_in_flight_to_weight_gradient(s)), known.peak_chunks)
          << known.name << " " << known.ranks << " " << m;
    }
  }
}

TEST(ControllableMemory, with_unequal_times_the_bubble_grows_with_m) {
  // The authors' V-Min at tF, tI, tW = 2, 3, 1 on 4 ranks: bubble 71 at m = 8, 119 at m = 16.
  const test::Times uneven{
      .forward = Time{2}, .input_gradient = Time{3}, .weight_gradient = Time{1}};
  for (const auto& [m, bubble] : {std::pair{8, 71}, std::pair{16, 119}}) {
    const Schedule s = build({.ranks = 4, .micro_batches = m}, config::scalar("v-min"));
    EXPECT_EQ(test::max_span(evaluate(s, uneven)).ps, 12 * m + bubble);
  }
}

}  // namespace
}  // namespace pipewright::schedule
