// Every registered schedule, over many shapes: valid wherever it does not decline the shape.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pipewright::schedule
