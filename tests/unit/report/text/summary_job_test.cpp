#include "report/text/summary_job.hpp"

#include <gmock/gmock.h>

namespace pipewright {
namespace {

using testing::HasSubstr;
using testing::Not;

config::Value yaml(const char* text) { return config::parse(text, "x"); }

TEST(SummaryJob, names_the_degrees_that_change_anything_and_the_batch) {
  const std::string text =
      job_lines(yaml("{parallel: {tensor: 8, pipeline: 12, data: 1, zero: 1, sequence: true},"
                     " batch: {global: 1536, micro: 1, sequence: 2048}}"));
  EXPECT_THAT(text, HasSubstr("tensor 8, pipeline 12, zero 1, sequence parallel\n"));
  EXPECT_THAT(text, HasSubstr("1536 sequences of 2048 tokens, 1 in a micro-batch\n"));
}

TEST(SummaryJob, is_empty_for_what_has_neither) {
  EXPECT_EQ(job_lines(yaml("model: {synthetic: {devices: 4}}")), "");
  EXPECT_EQ(job_lines({}), "");
}

TEST(SummaryJob, tells_what_was_not_given) {
  const config::Value resolved = yaml("{precision: bf16, optimizer: adam, batch: {global: 8}}");
  const std::string text = default_lines(resolved, yaml("precision: bf16"), true);
  EXPECT_THAT(text, HasSubstr("optimizer adam\n"));
  EXPECT_THAT(text, Not(HasSubstr("precision")));
  EXPECT_EQ(default_lines(resolved, resolved, true), "");
}

TEST(SummaryJob, tells_first_what_matters_most_of_what_was_not_given) {
  const config::Value resolved = yaml("{precision: bf16, loss: fp32, pause: 0 s, recompute: none}");
  EXPECT_THAT(default_lines(resolved, yaml("precision: bf16"), false),
              HasSubstr("recompute none, and 2 other keys (-v)\n"));
  EXPECT_EQ(default_lines(yaml("{loss: fp32}"), yaml("{a: b}"), false), "");
}

}  // namespace
}  // namespace pipewright
