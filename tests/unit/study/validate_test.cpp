#include "study/validate.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::error_of;

// Four stages of 1 + 2 ms and 8 micro-batches: (8 + 3) x 3 ms.
constexpr const char* two_runs = R"(schema: pipewright.measured/1
runs:
  - name: measured
    group: g
    experiment:
      model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
      cluster: {devices: 4, link: {latency: 0 s}}
      schedule: 1f1b
    measured: {iteration_time_s: 30 ms, peak_memory_bytes: 1 GiB}
    notes: anything
  - name: impossible
    group: g
    experiment: {model: no-such-model, cluster: switch-8, schedule: 1f1b}
    measured: {iteration_time_s: 1}
)";

Validation validate_text(const char* text, int jobs) {
  return validate(read_measured_runs(config::parse(text, "r.yaml")), config::Catalogue(), {}, jobs,
                  [](size_t) {});
}

TEST(Validate, every_run_is_predicted_or_has_its_reason) {
  const Validation v = validate_text(two_runs, 1);
  ASSERT_EQ(v.runs.size(), 2u);
  EXPECT_NEAR(*v.runs[0].predicted->iteration_time_s, 0.033, 1e-12);
  EXPECT_NEAR(*v.runs[0].error(), 0.1, 1e-9);
  EXPECT_EQ(*v.runs[0].measured.peak_memory_bytes, 1 << 30);
  EXPECT_FALSE(v.runs[1].predicted);
  EXPECT_NE(v.runs[1].reason.find("no-such-model"), std::string::npos);
}

// The first word, or the name of the image that it is, counts where it is a framework's and the
// experiment names none.
TEST(Validate, software_names_the_framework) {
  const auto framework_of = [](const std::string& experiment, const std::string& software) {
    const std::string text = "schema: pipewright.measured/1\nruns: [{name: a, experiment: {" +
                             experiment + "}, software: {framework: '" + software +
                             "'}, measured: {iteration_time_s: 1}}]\n";
    const config::Value document = config::parse(text, "r.yaml");
    const MeasuredRun run = read_measured_runs(document).at(0);
    const config::Value* framework = run.experiment.find("framework");
    return framework ? framework->text : "none";
  };
  EXPECT_EQ(framework_of("model: gpt3-175b", "nanotron, December 2024"), "nanotron");
  EXPECT_EQ(framework_of("model: gpt3-175b", "torchtitan 9dec370, torch 1963fc8"), "torchtitan");
  EXPECT_EQ(framework_of("model: gpt3-175b", "ghcr.io/nvidia/jax:pax-2024-03-04"), "jax");
  EXPECT_EQ(framework_of("model: gpt3-175b", "nvcr.io/nvidia/nemo:24.12"), "nemo");
  EXPECT_EQ(framework_of("model: gpt3-175b", "another one"), "none");
  EXPECT_EQ(framework_of("model: gpt3-175b, framework: jax", "nanotron"), "jax");
  EXPECT_EQ(framework_of("traffic: []", "nanotron"), "none");
  EXPECT_EQ(framework_of("model: {synthetic: {}}", "nanotron"), "none");
}

// PyTorch's wheels bring a release of NCCL to the cluster.
TEST(Validate, software_names_the_release_of_nccl) {
  const auto cluster_of = [](const std::string& cluster, const std::string& software) {
    const std::string text =
        "schema: pipewright.measured/1\nruns: [{name: a, experiment: {cluster: " + cluster +
        "}, software: {" + software + "}, measured: {iteration_time_s: 1}}]\n";
    const config::Value document = config::parse(text, "r.yaml");
    return *read_measured_runs(document).at(0).experiment.find("cluster");
  };
  const auto release_of = [&](const std::string& cluster, const std::string& software) {
    const config::Value value = cluster_of(cluster, software);
    const config::Value* release = value.find("nccl");
    return release ? release->text : "none";
  };
  EXPECT_EQ(release_of("{node: p5.48xlarge}", "pytorch: '2.1'"), "2.18");
  EXPECT_EQ(release_of("{node: p5.48xlarge}", "pytorch: 2.4.1"), "2.20");
  EXPECT_EQ(release_of("{node: p5.48xlarge}", "pytorch: '2.1', nccl: 2.19.3"), "2.19.3");
  EXPECT_EQ(release_of("{node: p5.48xlarge, nccl: 2.27}", "pytorch: '2.1'"), "2.27");
  EXPECT_EQ(release_of("{node: p5.48xlarge}", "pytorch: '1.9'"), "none");
  EXPECT_EQ(release_of("{node: p5.48xlarge}", "cuda: '12.1'"), "none");
  EXPECT_EQ(release_of("dgx-h100-32", "pytorch: '2.1'"), "2.18");
  EXPECT_EQ(cluster_of("dgx-h100-32", "pytorch: '2.1'").find("base")->text, "dgx-h100-32");
}

TEST(Validate, the_result_does_not_depend_on_how_many_run_at_a_time) {
  const Validation one = validate_text(two_runs, 1), four = validate_text(two_runs, 4);
  EXPECT_EQ(one.runs[0].predicted->iteration_time_s, four.runs[0].predicted->iteration_time_s);
  EXPECT_EQ(one.runs[1].reason, four.runs[1].reason);
}

TEST(Validate, a_file_that_is_wrong_is_refused_where_it_is) {
  const auto refusal = [](const char* text) { return error_of([&] { validate_text(text, 1); }); };
  EXPECT_EQ(refusal("schema: pipewright.measured/2\nruns: []\n"),
            "r.yaml:1:9: error: 'pipewright.measured/2' must be pipewright.measured/1");
  EXPECT_EQ(refusal("schema: pipewright.measured/1\nruns: []\n"),
            "r.yaml:2:7: error: 'runs' must be a list of measured runs");
  const std::string unknown = refusal(
      "schema: pipewright.measured/1\nruns: [{name: a, experiment: {}, measured: {time: 1}}]\n");
  EXPECT_EQ(unknown.find("r.yaml:2:"), 0u) << unknown;
  EXPECT_NE(unknown.find("unknown key 'time'"), std::string::npos) << unknown;
}

}  // namespace
}  // namespace pipewright
