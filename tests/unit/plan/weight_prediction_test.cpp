#include "plan/weight_prediction.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "plan/memory.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

schedule::Schedule schedule_on_two(const char* spec) {
  return schedule::build({.ranks = 2, .micro_batches = 4, .iterations = 4},
                         config::parse(spec, "x.yaml"));
}

size_t predictions(const Segments& pass) {
  size_t count = 0;
  for (const Segment& segment : pass)
    for (const Work& work : segment.kernels)
      if (work.origin.purpose == Purpose::prediction) ++count;
  return count;
}

/// The passes of the first stage that begin with a prediction, and its steps that end with one.
struct Predictions {
  size_t forward, backward, step;
  bool operator==(const Predictions&) const = default;
};

Predictions first_stage(const char* spec) {
  ModelJob job(small_gpt(two_stages));
  const StagedModel model = job.cut(2);
  const ModelWork work = model_work(model, schedule_on_two(spec));
  size_t step = 0;
  for (const Work& kernel : work.updates[0].kernels)
    if (kernel.origin.purpose == Purpose::prediction) ++step;
  EXPECT_EQ(predictions(work.stages[1].forward), 0u) << "the last stage has nothing ahead of it";
  return {predictions(work.stages[0].forward), predictions(work.stages[0].backward), step};
}

TEST(WeightPrediction, a_thousand_parameters_in_fp32_by_hand) {
  const std::vector<Layer> block{{.kind = LayerKind::block, .device_parameters = 1000}};
  const auto kernel = [&](Optimizer optimizer) {
    return weight_prediction(block, {.precision = DType::fp32, .optimizer = optimizer}, false);
  };
  // 4 bytes each: weights and one moment, weights and two, weights and the last gradient.
  EXPECT_EQ(kernel(Optimizer::momentum).read, Bytes{8000});
  EXPECT_EQ(kernel(Optimizer::adam).read, Bytes{12000});
  EXPECT_EQ(kernel(Optimizer::sgd).read, Bytes{8000});
  EXPECT_EQ(kernel(Optimizer::adam).written, Bytes{4000});
  const StateOptions adam{.precision = DType::fp32, .optimizer = Optimizer::adam};
  EXPECT_EQ(weight_prediction(block, adam, true).read, Bytes{8000}) << "weights and former ones";
}

TEST(WeightPrediction, half_a_precision_is_predicted_from_the_master_copy) {
  const std::vector<Layer> block{{.kind = LayerKind::block, .device_parameters = 1000}};
  const Work kernel = weight_prediction(block, {.optimizer = Optimizer::momentum}, false);
  EXPECT_EQ(kernel.read, Bytes{8000});
  EXPECT_EQ(kernel.written, Bytes{2000});
}

TEST(WeightPrediction, runs_before_the_passes_that_look_ahead) {
  EXPECT_EQ(first_stage("pipeoptim"), (Predictions{1, 0, 0}));
  EXPECT_EQ(first_stage("{name: spectrain, backward: reuse}"), (Predictions{1, 0, 0}));
  EXPECT_EQ(first_stage("pipedream"), (Predictions{0, 0, 0}));
}

TEST(WeightPrediction, runs_after_a_step_of_several_micro_batches) {
  EXPECT_EQ(first_stage("xpipe"), (Predictions{0, 0, 1}));
}

TEST(WeightPrediction, takes_one_copy_more_where_a_stage_looks_ahead) {
  const schedule::Schedule predicting = schedule_on_two("pipeoptim"),
                           stashing = schedule_on_two("pipedream");
  const auto copies = [](const schedule::Schedule& schedule) {
    return weight_copies(schedule::weight_versions(schedule), schedule);
  };
  EXPECT_EQ(copies(predicting), (std::vector<int>{2, 1}));
  EXPECT_EQ(copies(stashing), (std::vector<int>{2, 1}));
}

// Kosson et al., arXiv 2003.11666: W_t + D (W_t - W_{t-1}) needs W_{t-1} beside W_t and the result.
TEST(WeightPrediction, by_difference_holds_the_former_weights_too) {
  const auto copies = [](const std::string& form) {
    const schedule::Schedule schedule =
        schedule_on_two(("{name: pipelined-backprop, weight_prediction: " + form + "}").c_str());
    return weight_copies(schedule::weight_versions(schedule), schedule);
  };
  EXPECT_EQ(copies("false"), (std::vector<int>{1, 1}));
  EXPECT_EQ(copies("velocity"), (std::vector<int>{2, 1}));
  EXPECT_EQ(copies("difference"), (std::vector<int>{3, 1}));
}

TEST(WeightPrediction, needs_the_whole_state_on_the_device) {
  const auto error = [](const char* lines) {
    const Experiment e = read_experiment(small_gpt(lines));
    return error_of([&] { require_predictable(e, schedule_on_two("pipeoptim")); });
  };
  EXPECT_EQ(error(two_stages), "no error");
  EXPECT_NE(error("parallel: {tensor: 8, pipeline: 2, zero: 1}\nschedule: 1f1b\n"), "no error");
}

}  // namespace
}  // namespace pipewright::test
