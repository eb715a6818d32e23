#include "simulate/remedies.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "config/catalogue.hpp"
#include "support/experiments.hpp"

namespace pipewright {
namespace {

using testing::IsEmpty;
using testing::Not;

/// A transformer whose weights and optimizer state alone take `memory` or more on each of 8
/// devices.
config::Value job(const std::string& memory, const std::string& more = "") {
  return test::experiment(
      "model: {transformer: {layers: 8, hidden: 2048, heads: 16, ffn: 8192, vocabulary: 1024}}\n"
      "cluster: {devices: 8, device: {flops: {bf16: 100 TFLOP/s}, memory: " +
      memory +
      ", memory_bandwidth: 1 TB/s}, link: {latency: 1 us, bandwidth: 100 GB/s}}\n"
      "batch: {micro: 4, sequence: 1024}\nparallel: {data: 8}\nschedule: 1f1b\n" +
      more);
}

std::string batch_of(const config::Value& resolved) {
  return resolved.find("batch")->find("global")->text;
}

std::vector<Remedy> remedies(const config::Value& experiment) {
  const config::Catalogue catalogue;
  const RunResult result = run_experiment(experiment, catalogue, {}).result;
  return remedies_for(experiment, result, catalogue, {});
}

TEST(Remedies, a_run_that_fits_needs_none) { EXPECT_THAT(remedies(job("80 GiB")), IsEmpty()); }

// Law: leaving out the replicas that the cluster has room for changes no advice.
TEST(Remedies, are_the_same_where_the_replicas_are_left_out) {
  config::Value said = job("8 GiB"), left_out = said;
  left_out.set("parallel", config::parse("{tensor: 1}", "x"));
  const auto changes = [](const std::vector<Remedy>& all) {
    std::vector<std::vector<std::string>> list;
    for (const Remedy& remedy : all) list.push_back(remedy.changes);
    return list;
  };
  config::set_path(said, "batch.global=64");
  config::set_path(left_out, "batch.global=64");
  EXPECT_THAT(changes(remedies(said)), Not(IsEmpty()));
  EXPECT_EQ(changes(remedies(left_out)), changes(remedies(said)));
}

// Law: saying that weights are cut over all 8 replicas, as a resolved experiment does, changes no
// advice. Fewer replicas that share are then told with it.
TEST(Remedies, are_the_same_where_it_is_said_that_all_replicas_share) {
  config::Value left_out = job("3 GiB");
  config::set_path(left_out, "parallel.zero=3");
  config::Value said = left_out;
  config::set_path(said, "parallel.shard=8");
  const std::vector<Remedy> one = remedies(left_out), other = remedies(said);
  ASSERT_EQ(one.size(), other.size());
  bool fewer_share = false;
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].iteration, other[i].iteration);
    EXPECT_EQ(one[i].fullest, other[i].fullest);
    for (const std::string& change : other[i].changes)
      fewer_share |= change.starts_with("parallel.shard=");
  }
  EXPECT_TRUE(fewer_share);
}

// Law: what a run says that its experiment was has the same remedies. nanotron's own cut of a
// pipeline and its checks are those of any remedy with more stages. (Where nobody says how data are
// summed it follows from ZeRO's stage. A resolved experiment says it, for another stage too.)
TEST(Remedies, of_a_resolved_experiment_are_those_of_the_experiment) {
  for (const char* framework : {"framework: nanotron\n", ""}) {
    config::Value experiment = job("4 GiB", framework);
    config::set_path(experiment, "parallel.zero=1");
    const config::Catalogue catalogue;
    const RunResult result = run_experiment(experiment, catalogue, {}).result;
    const std::vector<Remedy> own = remedies_for(experiment, result, catalogue, {}),
                              resolved = remedies(result.experiment);
    EXPECT_THAT(own, Not(IsEmpty())) << framework;
    ASSERT_EQ(own.size(), resolved.size()) << framework;
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i].changes.front().starts_with("parallel.zero=")) continue;
      EXPECT_EQ(own[i].iteration, resolved[i].iteration) << framework;
    }
  }
}

// Whoever takes the advice gets what it says, on the same batch.
TEST(Remedies, each_makes_the_run_fit_as_it_says) {
  const config::Value experiment = job("8 GiB");
  const config::Catalogue catalogue;
  const RunResult before = run_experiment(experiment, catalogue, {}).result;
  ASSERT_FALSE(before.fit.feasible);
  const std::vector<Remedy> all = remedies(experiment);
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_LE(all.size(), 3u);
  for (const Remedy& remedy : all) {
    config::Value changed = experiment;
    for (const std::string& setting : remedy.changes) config::set_path(changed, setting);
    const RunResult after = run_experiment(changed, catalogue, {}).result;
    EXPECT_TRUE(after.fit.feasible);
    EXPECT_EQ(after.metrics.iteration, remedy.iteration);
    EXPECT_EQ(after.fit.fullest, remedy.fullest);
    EXPECT_EQ(batch_of(after.experiment), batch_of(before.experiment));
  }
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Remedy::iteration));
}

// The state alone needs more than a device has, and so do the activations alone.
TEST(Remedies, two_changes_go_together_where_one_will_not_do) {
  const std::vector<Remedy> all = remedies(job("2 GiB"));
  ASSERT_THAT(all, Not(IsEmpty()));
  for (const Remedy& remedy : all) {
    EXPECT_GT(remedy.changes.size(), 1u);
    EXPECT_EQ(std::set(remedy.changes.begin(), remedy.changes.end()).size(), remedy.changes.size());
  }
}

/// Two nodes of four devices. 8 layers of 8 experts, each 2 x 2048 x 2048 weights.
config::Value mixture(const std::string& memory) {
  return test::experiment(
      "model: {transformer: {layers: 8, hidden: 2048, heads: 16, vocabulary: 1024,\n"
      "        experts: {count: 8, active: 1, ffn: 2048}}}\n"
      "cluster: {nodes: 2, node: {devices: 4, device: {flops: {bf16: 100 TFLOP/s}, memory: " +
      memory +
      ", memory_bandwidth: 1 TB/s}, interconnect: {kind: nvswitch, link: nvlink3}},\n"
      "          fabric: {kind: star, link: {latency: 1 us, bandwidth: 10 GB/s}}}\n"
      "batch: {micro: 1, sequence: 1024, global: 8}\nparallel: {data: 8}\nschedule: 1f1b\n");
}

/// Returns the degree that a change gives `parallel.expert`; 0 where it gives none.
int expert_degree(const Remedy& remedy) {
  const std::string key = "parallel.expert=";
  for (const std::string& setting : remedy.changes)
    if (setting.starts_with(key)) return std::stoi(setting.substr(key.size()));
  return 0;
}

// Of 537 million experts' weights, 18 bytes each, one of four devices that share them holds a
// quarter: 2.4 GB of 9.7. Gradients (fp32) of a quarter are 0.5 GB, summed by two devices, in place
// of 2.1 GB by eight or 1.1 GB by four; tokens, 4 MiB a layer each way, stay within the node. So
// four that share are quicker than two, and more than a node has are not needed.
TEST(Remedies, experts_are_shared_within_a_node_first) {
  std::vector<int> degrees;
  for (const Remedy& remedy : remedies(mixture("9 GiB")))
    if (const int degree = expert_degree(remedy); degree > 0) degrees.push_back(degree);
  ASSERT_THAT(degrees, Not(IsEmpty()));
  EXPECT_EQ(degrees.front(), 4);
  EXPECT_LE(std::ranges::max(degrees), 4);
}

TEST(Remedies, nothing_helps_where_a_device_has_next_to_nothing) {
  EXPECT_THAT(remedies(job("1 MiB")), IsEmpty());
}

}  // namespace
}  // namespace pipewright
