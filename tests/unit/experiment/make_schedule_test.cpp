#include <gtest/gtest.h>

#include "experiment/make_schedule.hpp"
#include "experiment/schedule_name.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

schedule::Schedule made(const std::string& yaml) {
  return make_schedule(read_experiment(experiment(yaml)), {.ranks = 4, .micro_batches = 8});
}

TEST(MakeSchedule, parallel_virtual_is_the_schedules_option) {
  EXPECT_EQ(made("parallel: {virtual: 3}\nschedule: interleaved-1f1b\n").stages, 12);
}

TEST(MakeSchedule, two_different_values_are_an_error) {
  EXPECT_NE(error_of([] {
              made("parallel: {virtual: 3}\nschedule: {name: interleaved-1f1b, virtual: 2}\n");
            }).find("virtual is 2 here and 3 in parallel.virtual"),
            std::string::npos);
}

TEST(MakeSchedule, a_schedule_of_other_chunks_does_not_fit) {
  EXPECT_THROW(made("parallel: {virtual: 2}\nschedule: 1f1b\n"), Misfit);
  EXPECT_EQ(made("parallel: {virtual: 1}\nschedule: 1f1b\n").stages, 4);
}

TEST(ScheduleName, options_are_part_of_the_name) {
  EXPECT_EQ(schedule_name(config::parse("{name: hanayo, waves: 2}", "x")), "hanayo (waves 2)");
  EXPECT_EQ(schedule_name(config::scalar("1f1b")), "1f1b");
}

}  // namespace
}  // namespace pipewright::test
