#include "experiment/plain_pipeline.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

std::optional<Pipeline> pipeline(const char* schedule, std::optional<int> virtual_stages = {}) {
  return Pipeline::of(config::parse(schedule, "schedule"), virtual_stages);
}

TEST(PlainPipeline, a_schedule_is_known_by_its_name_or_as_a_map) {
  EXPECT_EQ(pipeline("1f1b")->chunks, 1);
  EXPECT_EQ(pipeline("{name: interleaved-1f1b, virtual: 4}")->chunks, 4);
  EXPECT_EQ(pipeline("interleaved-1f1b", 3)->chunks, 3);
}

TEST(PlainPipeline, options_that_closed_forms_do_not_know_make_a_schedule_unknown) {
  EXPECT_FALSE(pipeline("{name: 1f1b, eager: true}"));
  EXPECT_FALSE(pipeline("no-such-schedule"));
  EXPECT_FALSE(pipeline("{name: interleaved-1f1b, virtual: 4}", 2));
  EXPECT_FALSE(pipeline("1f1b", 2));
}

}  // namespace
}  // namespace pipewright
