#include "search/closed_forms.hpp"
#include "run/prepare.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "estimate/estimate.hpp"
#include "gpt_on_eight_devices.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

/// Those of Megatron-LM's rules, and some whose weights are cut over replicas.
std::vector<Candidate> with_cut_weights(const Problem& problem) {
  std::vector<Candidate> all = megatron_space(problem), cut;
  for (const Candidate& c : whole_space(problem))
    if (c.zero == 3) cut.push_back(c);
  for (size_t k = 0; k < cut.size(); k += 5) all.push_back(cut[k]);
  return all;
}

TEST(ClosedForms, know_no_devices_of_unlike_speed_and_none_that_keep_weights_on_chip) {
  const config::Catalogue catalogue;
  const auto knows = [&](const std::string& change) {
    Problem problem = on_shared_machines(catalogue, "layers: 4", "network: flow\n");
    if (!change.empty()) config::set_path(problem.experiment, change);
    return ClosedForms(problem).knows(megatron_space(problem).front());
  };
  EXPECT_TRUE(knows(""));
  EXPECT_TRUE(knows("offload=none"));
  EXPECT_FALSE(knows("offload=optimizer"));
  EXPECT_FALSE(knows("cluster.speeds=[1, 1, 1, 1, 1, 1, 1, 0.9]"));
  EXPECT_FALSE(knows("cluster.device={kind: fpga, on_chip: 1 GiB, flops: {bf16: 1 TFLOP/s}}"));
}

// The event-simulated optimum is never passed over: nothing is simulated to take less time or
// memory than its bounds. And what can be run is not said to be impossible.
TEST(ClosedForms, bound_what_is_simulated) {
  const config::Catalogue catalogue;
  for (const char* layers : {"layers: 4", "layers: 6"}) {
    for (const char* network : {"network: flow\n", "network: alpha-beta\n"}) {
      const Problem problem = on_shared_machines(catalogue, layers, network);
      ClosedForms forms(problem);
      int bounded = 0;
      for (const Candidate& c : with_cut_weights(problem)) {
        ASSERT_TRUE(forms.knows(c));
        const std::optional<Estimated> closed = forms.of(c);
        const Proposal proposal = simulated(problem, c);
        EXPECT_TRUE(!proposal.feasible || closed) << c.label();
        if (!proposal.iteration_time_s || !closed) continue;
        EXPECT_LE(in_seconds(closed->least), *proposal.iteration_time_s) << c.label();
        EXPECT_GT(closed->least, Time{});
        EXPECT_LE(static_cast<double>(closed->held.count), proposal.peak_memory_bytes) << c.label();
        ++bounded;
      }
      EXPECT_GT(bounded, 20);
    }
  }
}

// What forms remember of one candidate is not taken for another's.
TEST(ClosedForms, are_the_same_whatever_was_asked_before) {
  const config::Catalogue catalogue;
  const Problem problem = on_shared_machines(catalogue, "layers: 4", "network: flow\n");
  std::vector<Candidate> all = whole_space(problem);
  ClosedForms forms(problem);
  for (const bool backwards : {false, true}) {
    if (backwards) std::ranges::reverse(all);
    for (size_t k = 0; k < all.size(); k += 7) {
      if (!forms.knows(all[k])) continue;
      const std::optional<Estimated> first = ClosedForms(problem).of(all[k]);
      const std::optional<Estimated> later = forms.of(all[k]);
      ASSERT_EQ(first.has_value(), later.has_value()) << all[k].label();
      if (!first) continue;
      EXPECT_EQ(first->estimate, later->estimate) << all[k].label();
      EXPECT_EQ(first->held, later->held) << all[k].label();
      EXPECT_EQ(first->least, later->least) << all[k].label();
    }
  }
}

/// Expects estimates within `most` of those of prepared runs.
void expect_agreement(const Problem& problem, const std::vector<Candidate>& candidates,
                      double most) {
  ClosedForms forms(problem);
  int compared = 0;
  for (const Candidate& c : candidates) {
    const std::optional<Estimated> closed = forms.of(c);
    if (!closed) continue;
    try {
      const Experiment e = read_experiment(resolve(experiment_of(problem, c), problem.catalogue));
      const double prepared =
          in_seconds(estimate_iteration(prepare(e, problem.catalogue, problem.run)));
      EXPECT_NEAR(in_seconds(closed->estimate), prepared, most * prepared) << c.label();
      ++compared;
    } catch (const Misfit&) {
      ADD_FAILURE() << "cannot be: " << c.label();
    }
  }
  EXPECT_GT(compared, 5);
}

// The same as from a prepared run, to the rounding of the optimizer's share.
TEST(ClosedForms, agree_with_the_estimate_of_a_prepared_run) {
  const config::Catalogue catalogue;
  const Problem problem = on_shared_machines(catalogue, "layers: 4", "network: alpha-beta\n");
  expect_agreement(problem, megatron_space(problem), 1e-3);
}

// Closed forms are for sifting: weights that are cut over replicas are told apart well enough.
TEST(ClosedForms, are_near_the_estimate_where_weights_are_cut) {
  const config::Catalogue catalogue;
  const Problem problem = on_shared_machines(catalogue, "layers: 4", "network: alpha-beta\n");
  std::vector<Candidate> cut = with_cut_weights(problem);
  std::erase_if(cut, [](const Candidate& c) { return c.zero != 3; });
  expect_agreement(problem, cut, 0.1);
}

}  // namespace
}  // namespace pipewright::search
