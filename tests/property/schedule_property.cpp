// Every registered schedule, over many shapes: valid wherever it does not decline the shape.
#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::schedule {
namespace {

TEST(EverySchedule, is_valid_for_every_shape_it_accepts) {
  for (const Kind* kind : kinds()) {
    int accepted = 0;
    for (int p = 1; p <= 9; ++p) {
      for (int m = 1; m <= 20; ++m) {
        try {
          build({.ranks = p, .micro_batches = m}, config::scalar(kind->name));
          ++accepted;
        } catch (const Misfit&) {
        } catch (const InputError& error) {
          ADD_FAILURE() << kind->name << " p=" << p << " m=" << m << ": " << error.what();
        }
      }
    }
    EXPECT_GT(accepted, 0) << kind->name;
  }
}

TEST(EverySchedule, is_valid_over_several_iterations) {
  for (const Kind* kind : kinds()) {
    for (int iterations = 2; iterations <= 4; ++iterations) {
      const Schedule s = build({.ranks = 4, .micro_batches = 8, .iterations = iterations},
                               config::scalar(kind->name));
      EXPECT_EQ(s.total_micro_batches(), 8 * iterations) << kind->name;
    }
  }
}

}  // namespace
}  // namespace pipewright::schedule
