// Perceptrons, convolutional networks and LSTMs, trained live under every schedule.
#include <gtest/gtest.h>

#include <numeric>

#include "support/live_gpt.hpp"

namespace pipewright::test {
namespace {

using train::Reads;

const LiveModel mlp{.model =
                        "{cnn: {input: [12, 1, 1], layers: [{repeat: 7, layers: [dense 16]}, "
                        "dense 5]}}"};
const LiveModel cnn{.model =
                        "{cnn: {input: [2, 8, 8], layers: [conv 4 3x3, max-pool 2x2 /2, "
                        "conv 6 3x3 valid, max-pool 2x2 /1, dense 12, dense 12, dense 12, "
                        "dense 5]}}"};
const LiveModel lstm{.model = "{recurrent: {hidden: 8, layers: 8, vocabulary: 16}}",
                     .batch = ", sequence: 12"};

struct Named {
  const char* name;
  const LiveModel* model;
};

class SmallNetwork : public testing::TestWithParam<Named> {
 protected:
  live::RealJob job(const std::string& schedule, int steps, const std::string& more = "") const {
    LiveModel m = *GetParam().model;
    m.schedule = schedule;
    m.steps = steps;
    m.more = more;
    return live_job(m);
  }
};

TEST_P(SmallNetwork, trains_under_synchronous_schedules_as_on_one_device) {
  for (const char* schedule :
       {"gpipe", "{name: gpipe, backward_order: reversed}", "1f1b", "eager-1f1b",
        "{name: interleaved-1f1b, virtual: 2}", "{name: looped-bfs, virtual: 2}", "zb-h1", "zb-h2",
        "zb-v", "v-half", "v-min", "zb-auto", "dualpipe", "dualpipe-v", "chimera", "hanayo",
        "bpipe", "1f1b-as", "1f1b-sno"}) {
    SCOPED_TRACE(schedule);
    expect_as_on_one_device(job(schedule, 20), in_step(8));
  }
}

TEST_P(SmallNetwork, recomputes_and_reduces_over_replicas) {
  for (const char* schedule : {"1f1b", "zb-v"}) {
    SCOPED_TRACE(schedule);
    expect_as_on_one_device(job(schedule, 6, "recompute: full"), in_step(8));
    LiveModel m = *GetParam().model;
    m.pipeline = m.data = 2;
    m.schedule = schedule;
    m.steps = 6;
    expect_as_on_one_device(live_job(m), in_step(8));
  }
}

// The delays that their papers give: see the tests of the transformer.
TEST_P(SmallNetwork, follows_the_delays_of_asynchronous_schedules) {
  const auto stashed = [](int stage, int b) { return Reads{std::max(0, b - (3 - stage)), 0}; };
  const auto newest = [](int, int b) { return Reads{b, 0}; };
  const auto buffered = [](int, int b) { return Reads{std::max(0, b / 8 - 1), 0}; };
  expect_as_on_one_device(job("pipedream", 8), {stashed, stashed});
  expect_as_on_one_device(job("pipelined-backprop", 8), {stashed, newest});
  expect_as_on_one_device(job("pipedream-2bw", 6), {buffered, buffered});
}

INSTANTIATE_TEST_SUITE_P(Kinds, SmallNetwork,
                         testing::Values(Named{"mlp", &mlp}, Named{"cnn", &cnn},
                                         Named{"lstm", &lstm}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SmallNetworks, learn) {
  for (const char* model :
       {"{cnn: {input: [12, 1, 1], layers: [dense 16, dense 5]}}",
        "{cnn: {input: [1, 8, 8], layers: [conv 6 3x3, max-pool 2x2 /2, dense 5]}}",
        "{recurrent: {hidden: 16, layers: 2, vocabulary: 16}}"}) {
    SCOPED_TRACE(model);
    const bool has_tokens = std::string(model).find("recurrent") != std::string::npos;
    const auto kernels = kernels::cpu_kernels();
    const std::vector<double> losses =
        run_job(live_job({.model = model,
                          .batch = has_tokens ? ", sequence: 12" : "",
                          .pipeline = 2,
                          .optimizer = "adam",
                          .more = "partition: balanced",
                          .steps = 150,
                          .learning_rate = 0.01}),
                *kernels)
            .losses;
    const double early = std::accumulate(losses.begin(), losses.begin() + 10, 0.0);
    const double late = std::accumulate(losses.end() - 10, losses.end(), 0.0);
    EXPECT_LT(late, 0.7 * early);
  }
}

TEST(SmallNetworks, an_lstm_passes_its_state_from_slice_to_slice) {
  for (const char* schedule :
       {"{name: terapipe, slices: [10, 8, 6]}", "{name: seq-1f1b, slices: 3}"}) {
    for (const char* more : {"", "recompute: full"}) {
      SCOPED_TRACE(schedule);
      LiveModel m = lstm;
      m.batch = ", sequence: 24";
      m.schedule = schedule;
      m.more = more;
      m.steps = 10;
      expect_as_on_one_device(live_job(m), in_step(8));
    }
  }
}

// As many weights as the simulator counts, so that gradients are as long live as predicted.
TEST(SmallNetworks, have_the_weights_that_the_simulator_counts) {
  for (LiveModel m : {mlp, cnn, lstm}) {
    m.data = 2;
    const live::RealJob job = live_job(m);
    for (size_t k = 0; k < job.model.stages.size(); ++k) {
      int64_t bytes = 0;
      for (const CollectiveWork& reduce : job.prepared.work.updates[k].reduce)
        bytes += reduce.bytes.count;
      EXPECT_EQ(4 * job.model.stages[k].parameters(), bytes) << "stage " << k;
    }
  }
}

// 784 features, 6 (1 5 5 + 1) + 16 (6 5 5 + 1) weights of convolutions, 400 inputs of the first
// dense layer: 61 706 weights (LeCun et al. 1998, with all inputs of the second convolution).
TEST(SmallNetworks, lenet_5_has_its_weights) {
  LiveModel m{.model =
                  "{cnn: {input: [1, 28, 28], layers: [conv 6 5x5, max-pool 2x2 /2, conv 16 "
                  "5x5 valid, max-pool 2x2 /2, dense 120, dense 84, dense 10]}}",
              .pipeline = 1};
  EXPECT_EQ(live_job(m).model.stages[0].parameters(),
            6 * 26 + 16 * 151 + 120 * 401 + 84 * 121 + 10 * 85);
}

void expect_refused(const std::string& model, const std::string& message) {
  try {
    live_job({.model = model, .pipeline = 1});
    FAIL() << "trained " << model;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(SmallNetworks, what_cannot_be_trained_is_said) {
  expect_refused("{cnn: {input: [3, 8, 8], norm: true, layers: [conv 4 3x3, dense 2]}}",
                 "batch normalisation cannot be trained live");
  expect_refused("{cnn: {input: [3, 8, 8], layers: [average-pool 2x2 /2, dense 2]}}",
                 "'average-pool 2x2 /2' cannot be trained live");
  expect_refused("{cnn: {input: [3, 8, 8], layers: [conv 4 3x3]}}", "does not end in 'dense'");
}

}  // namespace
}  // namespace pipewright::test
