#include "report/text/recommendation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/schedule_rows.hpp"

namespace pipewright {
namespace {

using test::row;
using test::stale;
using testing::HasSubstr;

std::string recommend(const std::vector<Row>& rows) { return recommendation(rows); }

TEST(Recommendation, is_the_fastest_synchronous_one_that_fits) {
  EXPECT_EQ(recommend({row("gpipe", 120, 80), row("1f1b", 100, 80)}),
            "Take 1f1b, at 100 us an iteration the fastest synchronous schedule that fits.");
}

TEST(Recommendation, does_not_say_that_it_fits_where_memory_is_not_known) {
  EXPECT_EQ(recommend({row("gpipe", 120, 0), row("1f1b", 100, 0)}),
            "Take 1f1b, at 100 us an iteration the fastest synchronous schedule.");
}

TEST(Recommendation, of_equally_fast_ones_is_the_leanest) {
  EXPECT_THAT(recommend({row("gpipe", 100, 80), row("1f1b", 100, 40)}), HasSubstr("Take 1f1b,"));
}

// 80 us instead of 100 is 20 % less.
TEST(Recommendation, names_a_faster_asynchronous_one_and_how_stale_it_is) {
  EXPECT_EQ(recommend({row("1f1b", 100, 40), stale(row("pipedream-2bw", 80, 60), 1)}),
            "Take 1f1b, at 100 us an iteration the fastest synchronous schedule that fits; "
            "pipedream-2bw is 20.0 % faster, but its gradients are 1 step late.");
}

TEST(Recommendation, warns_where_one_iteration_hides_the_staleness) {
  EXPECT_THAT(
      recommend({row("1f1b", 100, 40), stale(row("pipedream-2bw", 80, 60), 0)}),
      HasSubstr("20.0 % faster, but it is asynchronous, which a single iteration does not"));
}

TEST(Recommendation, does_not_name_a_slower_asynchronous_one) {
  EXPECT_EQ(recommend({row("1f1b", 100, 40), stale(row("pipedream", 110, 60), 3)}),
            "Take 1f1b, at 100 us an iteration the fastest synchronous schedule that fits.");
}

// 30 MiB instead of 60 is half, 110 us instead of 100 a tenth more. 55 MiB would be too little
// gain.
TEST(Recommendation, names_one_that_needs_less_memory) {
  EXPECT_THAT(recommend({row("zb-h2", 100, 60), row("zb-h1", 105, 55), row("v-min", 110, 30)}),
              HasSubstr("fits; v-min needs 50.0 % less memory and takes 10.0 % longer."));
}

TEST(Recommendation, names_those_that_predictions_cannot_tell_from_it) {
  EXPECT_EQ(recommend({row("1f1b", 100, 40), row("gpipe", 101, 40), row("slow", 300, 40)}),
            "Take 1f1b, at 100 us an iteration the fastest synchronous schedule that fits.\n"
            "Predictions are not sure enough to tell it from gpipe: measure 1f1b and gpipe first.");
}

TEST(Recommendation, has_nobody_measure_what_gives_the_same) {
  EXPECT_EQ(recommend({row("1f1b", 100, 40), row("gpipe", 100, 40), row("slow", 300, 40)}),
            "Take 1f1b, at 100 us an iteration the fastest synchronous schedule that fits.");
}

TEST(Recommendation, names_a_faster_one_that_does_not_fit) {
  EXPECT_EQ(recommend({row("zb-h2", 90, 160), row("1f1b", 100, 90)}),
            "Take 1f1b, at 100 us an iteration the fastest synchronous schedule that fits; "
            "zb-h2 would be 10.0 % faster, but needs 160 MiB of memory.");
}

TEST(Recommendation, takes_none_that_the_devices_cannot_do) {
  Row streaming = row("1f1b-as", 90, 60);
  streaming.run->result.fit.suits_devices = false;
  EXPECT_EQ(recommend({streaming, row("1f1b", 100, 60)}),
            "Take 1f1b, at 100 us an iteration the fastest synchronous schedule that fits; 1f1b-as "
            "would be 10.0 % faster on devices that send while they compute (FPGAs).");
}

TEST(Recommendation, may_be_asynchronous_where_nothing_else_fits) {
  EXPECT_EQ(recommend({row("1f1b", 100, 110), stale(row("pipedream-2bw", 120, 90), 1)}),
            "No synchronous schedule fits in memory; pipedream-2bw is the fastest that does, at "
            "120 us an iteration, but its gradients are 1 step late.");
}

TEST(Recommendation, says_so_where_none_fits) {
  EXPECT_EQ(recommend({row("gpipe", 90, 300), row("1f1b", 100, 110)}),
            "None fits in memory: 1f1b comes nearest with 110 MiB on a device of 100 MiB.");
}

TEST(Recommendation, needs_no_rivals) {
  EXPECT_EQ(recommend({row("1f1b", 100, 40), {"chimera", {}, "odd"}}),
            "Take 1f1b, the only one that can run here: 100 us an iteration.");
  EXPECT_EQ(recommend({{"chimera", {}, "odd"}}), "");
}

}  // namespace
}  // namespace pipewright
