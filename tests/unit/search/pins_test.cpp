#include <gtest/gtest.h>

#include "experiment/device_mesh.hpp"
#include "gpt_on_eight_devices.hpp"
#include "search/planner.hpp"
#include "search/space.hpp"
#include "support/error_of.hpp"

namespace pipewright::search {
namespace {

using Keys = std::vector<std::string>;

Problem pinning_problem(const config::Catalogue& catalogue, const std::string& more) {
  return {.experiment = gpt_on_eight_devices("layers: 4", more),
          .catalogue = catalogue,
          .simulations = 20,
          .jobs = 1};
}

// Only what a plan decides is pinned by being set.
TEST(Pins, are_what_is_asked_for_what_is_set_and_what_the_file_says) {
  const config::Catalogue catalogue;
  const Problem problem =
      pinning_problem(catalogue, "parallel: {tensor: 2, pipeline: 2}\npinned: [schedule]\n");
  EXPECT_EQ(pinned_keys(problem.experiment, {}, {}), Keys{"schedule"});
  EXPECT_EQ(pinned_keys(problem.experiment, {"parallel.tensor"},
                        {"parallel.pipeline=2", "precision=fp16"}),
            (Keys{"schedule", "parallel.tensor", "parallel.pipeline"}));
  EXPECT_EQ(test::error_of([&] { pinned_keys(problem.experiment, {"parallel.zero"}, {}); }),
            "error: 'parallel.zero' is pinned, but the experiment does not say it; --set "
            "parallel.zero=VALUE says it and keeps it");
  EXPECT_NE(test::error_of([&] {
              pinned_keys(problem.experiment, {"parallel.tenser"}, {});
            }).find("did you mean 'parallel.tensor'"),
            std::string::npos);
}

// A mesh says degrees: what is pinned of it are these.
TEST(Pins, of_a_mesh_are_the_degrees_that_it_says) {
  const config::Catalogue catalogue;
  config::Value job =
      pinning_problem(catalogue, "parallel: {mesh: {replicate: 2, tensor: 2}}\n").experiment;
  spell_out_mesh(job);
  EXPECT_EQ(pinned_keys(job, {"parallel.mesh.tensor"}, {}), Keys{"parallel.tensor"});
  EXPECT_EQ(pinned_keys(job, {}, {"parallel.mesh.replicate=2"}),
            (Keys{"parallel.replicate", "parallel.zero"}));
  EXPECT_EQ(pinned_keys(job, {"parallel.mesh"}, {}),
            (Keys{"parallel.zero", "parallel.tensor", "parallel.replicate"}));
  EXPECT_NE(test::error_of([&] {
              pinned_keys(job, {"parallel.mesh.context"}, {});
            }).find("--set parallel.mesh.context=VALUE"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] {
              pinned_keys(job, {"parallel.mesh.tensr"}, {});
            }).find("no key that a plan decides"),
            std::string::npos);
}

TEST(Pins, of_copies_are_kept_by_every_answer) {
  const config::Catalogue catalogue;
  Problem problem = pinning_problem(catalogue,
                                    "batch: {global: 16, sequence: 256}\n"
                                    "parallel: {mesh: {replicate: 2, shard: 4}}\n");
  spell_out_mesh(problem.experiment);
  problem.pinned = pinned_keys(problem.experiment, {"parallel.mesh.replicate"}, {});
  const PlanResult result = plan(problem, {"exhaustive", "megatron"});
  ASSERT_TRUE(result.best);
  for (const Proposal& proposal : result.proposals) {
    if (!proposal.iteration_time_s) continue;
    const config::Value& parallel = *proposal.experiment.value().find("parallel");
    ASSERT_TRUE(parallel.find("replicate")) << proposal.plan;
    EXPECT_EQ(parallel.find("replicate")->text, "2");
    EXPECT_EQ(parallel.find("zero")->text, "3");
  }
}

TEST(Pins, hold_a_map_and_what_is_in_it) {
  const config::Catalogue catalogue;
  Problem problem = pinning_problem(catalogue, "parallel: {tensor: 2, pipeline: 2}\n");
  EXPECT_EQ(pinned(problem, "parallel.tensor"), nullptr);
  problem.pinned = {"parallel"};
  ASSERT_NE(pinned(problem, "parallel.tensor"), nullptr);
  EXPECT_EQ(pinned(problem, "parallel.tensor")->text, "2");
  EXPECT_EQ(pinned(problem, "parallel.data"), nullptr) << "the experiment does not say it";
}

TEST(Pins, decide_which_candidates_may_be) {
  const config::Catalogue catalogue;
  Problem problem = pinning_problem(
      catalogue, "parallel: {tensor: 2, pipeline: 4}\nbatch: {micro: 2}\nrecompute: full\n");
  problem.pinned = {"parallel.tensor", "batch.micro", "recompute"};
  Candidate c{.tensor = 2, .pipeline = 2, .micro = 2, .recompute = "full"};
  c.schedule = schedule_named("gpipe");
  EXPECT_TRUE(keeps_pinned(problem, c));
  for (const auto& change : std::vector<void (*)(Candidate&)>{
           [](Candidate& x) { x.tensor = 4; }, [](Candidate& x) { x.micro = 1; },
           [](Candidate& x) { x.recompute = "none"; }, [](Candidate& x) { x.recomputed = 1; },
           [](Candidate& x) {
             x.stages = {{4, 0, 1, 1}};
           }}) {
    Candidate other = c;
    change(other);
    EXPECT_FALSE(keeps_pinned(problem, other)) << other.label();
  }
  problem.pinned = {"schedule"};
  EXPECT_FALSE(keeps_pinned(problem, c));
}

// Sixteen blocks' worth of other depths would do better; the one that is pinned stays.
TEST(Pins, every_answer_keeps_them) {
  const config::Catalogue catalogue;
  Problem problem = pinning_problem(
      catalogue, "batch: {global: 16, sequence: 256, micro: 4}\nparallel: {pipeline: 4}\n");
  problem.pinned = {"parallel.pipeline", "batch.micro"};
  const PlanResult result = plan(problem, {});
  ASSERT_TRUE(result.best);
  for (const Proposal& proposal : result.proposals) {
    if (!proposal.iteration_time_s) continue;
    EXPECT_EQ(proposal.experiment.value().find("parallel")->find("pipeline")->text, "4")
        << proposal.planner;
    EXPECT_EQ(proposal.experiment.value().find("batch")->find("micro")->text, "4")
        << proposal.planner;
  }
}

}  // namespace
}  // namespace pipewright::search
