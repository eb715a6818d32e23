#include "study/screening.hpp"
#include "machine/run_options.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "estimate/estimate.hpp"
#include "machine/machine_cache.hpp"
#include "result/objectives.hpp"
#include "run/prepare.hpp"
#include "simulate/quick_run.hpp"
#include "study/sweep.hpp"

namespace pipewright::test {
namespace {

/// 4 layers on up to 8 devices of `memory`, in many ways, some of which cannot be.
std::string many_candidates(const std::string& memory, const std::string& more = "") {
  return "experiment:\n"
         "  model: {transformer: {layers: 4, hidden: 1024, heads: 4, ffn: 4096, vocabulary: 32768, "
         "tied_embeddings: true}}\n"
         "  cluster: {devices: 8, device: {flops: {bf16: 312 TFLOP/s}, memory: " +
         memory +
         ", memory_bandwidth: 2 TB/s}, link: {latency: 5 us, bandwidth: 100 GB/s}}\n"
         "  batch: {global: 16, sequence: 512}\n"
         "  schedule: 1f1b\n"
         "vary:\n"
         "  parallel.tensor: [1, 2, 8]\n"
         "  parallel.pipeline: [1, 2, 4]\n"
         "  recompute: [none, full]\n"
         "  parallel.zero: [0, 1, 2]\n"
         "  partition: [even, balanced]\n"
         "  schedule: [gpipe, 1f1b, zb-h1, interleaved-1f1b, {name: interleaved-1f1b, virtual: "
         "3}]\n" +
         more;
}

Study screened_study(const std::string& yaml) {
  return read_study(config::parse(yaml, "study.yaml"), config::Catalogue{});
}

RunOptions options() {
  RunOptions options;
  options.machines = std::make_shared<MachineCache>();
  return options;
}

/// By simulation: the result, or why there is none.
struct Truth {
  double time_s = 0, memory = 0;
  std::string misfit;
};

Truth truth(const Study& study, const StudyPoint& point, const RunOptions& options) {
  try {
    const RunResult result = run_quickly(experiment_of(study, point), config::Catalogue{}, options);
    return {in_seconds(result.metrics.iteration),
            objective_value(result, "peak_memory_bytes").value(), ""};
  } catch (const Misfit& misfit) {
    return {0, 0, misfit.message()};
  }
}

std::string name(const StudyPoint& point) {
  std::string text;
  for (const auto& setting : point.settings) text += one_line(setting->value) + " ";
  return text;
}

// Nothing is simulated to take less time or memory than closed forms say at least, so none that is
// passed over for its bound could have been the best; and what cannot be is refused in the words of
// its simulation.
TEST(Screening, is_a_bound_and_gives_the_reasons_of_what_is_simulated) {
  const Study s =
      screened_study(many_candidates("80 GiB", "  boundary: [whole, scatter-gather]\n"));
  const config::Catalogue catalogue;
  const RunOptions run = options();
  Screening screening(s, catalogue, run);
  int bounded = 0, refused = 0;
  for (const StudyPoint& point : s.points) {
    const std::optional<Screened> screened = screening.of(point);
    ASSERT_TRUE(screened) << name(point);
    const Truth simulated = truth(s, point, run);
    EXPECT_EQ(screened->misfit, simulated.misfit) << name(point);
    if (!simulated.misfit.empty()) {
      ++refused;
      continue;
    }
    ++bounded;
    EXPECT_GT(screened->form.least, Time{}) << name(point);
    EXPECT_LE(in_seconds(screened->form.least), simulated.time_s) << name(point);
    EXPECT_GT(screened->form.held, Bytes{}) << name(point);
    EXPECT_LE(static_cast<double>(screened->form.held.count), simulated.memory) << name(point);
  }
  EXPECT_GT(bounded, 100);
  EXPECT_GT(refused, 50);
}

// Found from tables that points share, and the same as from a prepared run of each.
TEST(Screening, agrees_with_the_estimate_of_a_prepared_run) {
  const Study s =
      screened_study(many_candidates("80 GiB", "  boundary: [whole, scatter-gather]\n"));
  const config::Catalogue catalogue;
  const RunOptions run = options();
  Screening screening(s, catalogue, run);
  for (const StudyPoint& point : s.points) {
    const std::optional<Screened> screened = screening.of(point);
    if (!screened || !screened->misfit.empty()) continue;
    const Experiment e = read_experiment(resolve(experiment_of(s, point), catalogue));
    const double prepared = in_seconds(estimate_iteration(prepare(e, catalogue, run)));
    EXPECT_NEAR(in_seconds(screened->form.time), prepared, 1e-3 * prepared) << name(point);
  }
}

// A stage takes what its slowest device takes, and a rank has the memory of its own devices.
TEST(Screening, is_a_bound_on_devices_that_differ) {
  const auto group = [](const char* flops, const char* memory) {
    return fmt::format(
        "{{node: {{device: {{flops: {{bf16: {} TFLOP/s}}, memory: {}, memory_bandwidth: 2 TB/s}}, "
        "devices: 4, interconnect: {{kind: full-mesh, link: nvlink3}}}}, nodes: 1}}",
        flops, memory);
  };
  const Study s = screened_study(fmt::format(
      "experiment:\n"
      "  model: {{transformer: {{layers: 4, hidden: 1024, heads: 4, ffn: 4096, vocabulary: "
      "32768}}}}\n"
      "  cluster: {{groups: [{}, {}], fabric: {{kind: star, link: eth-100}}}}\n"
      "  batch: {{global: 16, sequence: 512}}\n"
      "  schedule: 1f1b\n"
      "vary:\n"
      "  parallel.tensor: [1, 2, 4]\n"
      "  parallel.pipeline: [1, 2, 4]\n"
      "  partition: [even, balanced]\n"
      "  schedule: [gpipe, 1f1b, zb-h1]\n",
      group("300", "80 GiB"), group("50", "1 GiB")));
  const config::Catalogue catalogue;
  const RunOptions run = options();
  Screening screening(s, catalogue, run);
  int bounded = 0;
  for (const StudyPoint& point : s.points) {
    const std::optional<Screened> screened = screening.of(point);
    ASSERT_TRUE(screened) << name(point);
    const Truth simulated = truth(s, point, run);
    EXPECT_EQ(screened->misfit, simulated.misfit) << name(point);
    if (!simulated.misfit.empty()) continue;
    ++bounded;
    EXPECT_LE(in_seconds(screened->form.least), simulated.time_s) << name(point);
    const RunResult result = run_quickly(experiment_of(s, point), catalogue, run);
    EXPECT_TRUE(screened->form.fits() || !result.fit.feasible) << name(point);
  }
  EXPECT_GT(bounded, 30);
}

/// Checks that closed forms are within a tenth of the simulation at every point of a study.
void expect_near(const std::string& yaml) {
  const Study s = screened_study(yaml);
  const config::Catalogue catalogue;
  const RunOptions run = options();
  Screening screening(s, catalogue, run);
  for (const StudyPoint& point : s.points) {
    const Truth simulated = truth(s, point, run);
    const std::optional<Screened> screened = screening.of(point);
    ASSERT_TRUE(screened) << name(point);
    ASSERT_EQ(screened->misfit, simulated.misfit) << name(point);
    EXPECT_NEAR(in_seconds(screened->form.time), simulated.time_s, 0.1 * simulated.time_s)
        << name(point);
  }
}

// A small model on fast devices takes as long as its hosts need to start its kernels.
TEST(Screening, sees_jobs_that_are_bound_by_their_hosts) {
  expect_near(
      "experiment:\n"
      "  model: {transformer: {layers: 24, hidden: 1024, heads: 16, ffn: 4096, vocabulary: "
      "50304}}\n"
      "  cluster: {node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: hdr, nics: 8}}\n"
      "  parallel: {data: auto, zero: 1}\n"
      "  batch: {global: 256, micro: 1, sequence: 1024}\n"
      "  schedule: 1f1b\n"
      "  precision: bf16\n"
      "vary:\n"
      "  parallel.pipeline: [1, 2, 4]\n"
      "  parallel.tensor: [1, 2, 8]\n");
}

// Experts are spread over replicas, which a table of layers has to have.
TEST(Screening, sees_the_exchanges_of_experts) {
  expect_near(
      "experiment:\n"
      "  model: mixtral-8x7b\n"
      "  cluster: {node: dgx-h100, nodes: 8, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
      "  parallel: {expert: 8, data: auto, zero: 1}\n"
      "  batch: {global: 256, micro: 1, sequence: 4096}\n"
      "  schedule: 1f1b\n"
      "  precision: bf16\n"
      "vary:\n"
      "  parallel.pipeline: [2, 4, 8]\n"
      "  parallel.tensor: [1, 2]\n"
      "  dispatch: [each-copy, once-a-node]\n");
}

// What is not a plain pipeline of whole layers is left to a prepared run.
TEST(Screening, knows_what_it_does_not_know) {
  const config::Catalogue catalogue;
  for (const char* more :
       {"  overlap.tensor: [domino]\n", "  placement: [dp-tp-cp-ep-pp]\n", "  iterations: [2]\n",
        "  recompute: [{layers: 1}]\n", "  schedule.name: [zb-h2]\n",
        "  stragglers: [[{device: 0, slowdown: 2}]]\n", "  parallel.zero: [3]\n",
        "  cluster.speeds: [[1, 1, 0.5, 1]]\n",
        "  cluster.device: [{kind: fpga, on_chip: 1 GiB, flops: {bf16: 1 TFLOP/s}}]\n"}) {
    const Study s = screened_study(
        "experiment: {model: {transformer: {layers: 4, hidden: 256, heads: 4, ffn: 1024, "
        "vocabulary: 1024}}, cluster: {devices: 4, device: {flops: {bf16: 1 TFLOP/s}, memory: 8 "
        "GiB, memory_bandwidth: 1 TB/s}, link: {latency: 5 us}}, batch: {global: 16, sequence: "
        "64}, schedule: {name: 1f1b}}\nvary:\n" +
        std::string(more));
    EXPECT_FALSE(Screening(s, catalogue, options()).of(s.points.front())) << more;
  }
}

// Two candidates fit; the others are not simulated, and say what they would need.
TEST(Screening, what_cannot_fit_is_not_simulated) {
  const Study s = screened_study(many_candidates("600 MiB", "screen: 10000\n"));
  SweepStore store("", {s.text, "1"});
  sweep(s, config::Catalogue{}, {.jobs = 2}, store);
  int run = 0, large = 0;
  store.for_each([&](const SweepRun& r) {
    run += r.ran();
    large += r.reason.starts_with("screened out: needs ");
    if (r.ran() && r.feasible) {
      EXPECT_LE(*r.objectives[1], 600.0 * (1 << 20));
    }
  });
  EXPECT_GT(run, 0);
  EXPECT_GT(large, 0);
}

}  // namespace
}  // namespace pipewright::test
