#include "experiment/synthetic.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"
#include "simulate/run.hpp"

namespace pipewright::test {
namespace {

/// The iteration of two ranks and four micro-batches, F 10 ms and B 20 ms, with `more` keys.
Time iteration(const std::string& more, const std::string& schedule = "gpipe") {
  const std::string text =
      "model: {synthetic: {devices: 2, microbatches: 4, forward: 10 ms, backward: 20 ms" + more +
      "}}\ncluster: {devices: 2, link: {latency: 0 s, bandwidth: 1 TB/s}}\nschedule: " + schedule;
  return run_experiment(config::parse(text, "x.yaml"), config::Catalogue{}, {})
      .result.metrics.iteration;
}

TEST(Synthetic, an_update_follows_the_passes) {
  const Time passes = milliseconds((4 + 1) * 30);
  EXPECT_EQ(iteration(""), passes);
  EXPECT_EQ(iteration(", update: 0 s"), passes);
  // Rank 0 ends last, rank 1 a backward pass earlier.
  EXPECT_EQ(iteration(", update: [7 ms, 5 ms]"), passes + milliseconds(7));
  EXPECT_EQ(iteration(", update: [0 s, 25 ms]"), passes + milliseconds(5));
}

TEST(Synthetic, a_number_is_the_update_of_all_chunks_of_a_device) {
  const std::string chunks = "{name: interleaved-1f1b, virtual: 2}";
  const Time without = iteration(", weights: 0 B", chunks);
  EXPECT_GE(iteration(", update: 8 ms", chunks), without + milliseconds(4));
  EXPECT_LE(iteration(", update: 8 ms", chunks), without + milliseconds(8));
}

TEST(Synthetic, an_update_has_no_slices) {
  EXPECT_NE(error_of([] { iteration(", update: {slices: [1 ms]}"); }).find("slices have none"),
            std::string::npos);
  EXPECT_NE(error_of([] { iteration(", update: [1 ms]"); }).find("has 1 times"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
