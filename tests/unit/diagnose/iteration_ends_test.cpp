#include "diagnose/iteration_ends.hpp"

#include <gtest/gtest.h>

#include "diagnose/step_graph.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

TEST(IterationEnds, the_end_of_a_step_is_a_chain) {
  const diagnose::MeasuredJob job = diagnose::measured_job(traced("1f1b", 2, 2, 2, 1), "t");
  const diagnose::StepGraph graph = diagnose::graph_of(job, 0);
  const auto all = job.of_step(0);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != optimizer) continue;
    EXPECT_TRUE(std::ranges::any_of(graph.after[i],
                                    [&](size_t k) { return all[k].kind == grads_reduce_scatter; }));
  }
}

}  // namespace
}  // namespace pipewright::test
