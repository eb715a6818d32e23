// Spike compensation and linear weight prediction (Kosson et al., arXiv 2003.11666) as the live
// ranks carry them out, against the paper's formulas worked out here in double precision: a
// perceptron, its gradients and its updates have nothing in common with the live layers but the
// first weights and the samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/live/work/pass_reads.hpp"
#include "support/live_gpt.hpp"

namespace pipewright::test {
namespace {

using Numbers = std::vector<double>;

constexpr int stages = 4, inputs = 6, classes = 3, samples = 2, updates = 40;
constexpr double rate = 0.05, momentum = 0.9;
constexpr int widths[] = {inputs, 8, 7, 5, classes};

struct Mitigation {
  const char* prediction;  ///< false, velocity or difference
  bool compensation, lockstep;
};

/// How many updates lie between a stage's forward and its backward.
int delay_of(int stage, const Mitigation& m) { return (m.lockstep ? 2 : 1) * (stages - 1 - stage); }

/// y = W x + bias with W [out, in] before the biases, then max(y, 0) but for the last stage.
class Dense {
 public:
  Dense(int stage, const Mitigation& mitigation, const std::vector<float>& initial)
      : in_(widths[stage]),
        out_(widths[stage + 1]),
        is_last_(stage + 1 == stages),
        delay_(delay_of(stage, mitigation)),
        mitigation_(mitigation),
        weights_{Numbers(initial.begin(), initial.end())},
        velocities_{Numbers(initial.size())} {}

  /// Of all samples, one after the other.
  Numbers forward(int micro_batch, const Numbers& x) {
    const Numbers w = forward_weights(std::max(0, micro_batch - delay_));
    Numbers y(static_cast<size_t>(samples * out_));
    for (int n = 0; n < samples; ++n)
      for (int o = 0; o < out_; ++o) {
        double sum = w[out_ * in_ + o];
        for (int i = 0; i < in_; ++i) sum += w[o * in_ + i] * x[n * in_ + i];
        y[n * out_ + o] = is_last_ ? sum : std::max(sum, 0.0);
      }
    kept_.emplace_back(x, y);
    return y;
  }

  /// Of micro-batch `b`, which makes update `b`.
  Numbers backward(int b, Numbers dy) {
    const auto& [x, y] = kept_[static_cast<size_t>(b)];
    const Numbers& w = weights_.back();
    Numbers dx(static_cast<size_t>(samples * in_)), gradient(w.size());
    for (int n = 0; n < samples; ++n)
      for (int o = 0; o < out_; ++o) {
        const double d = is_last_ || y[n * out_ + o] > 0 ? dy[n * out_ + o] : 0;
        gradient[out_ * in_ + o] += d;
        for (int i = 0; i < in_; ++i) {
          gradient[o * in_ + i] += d * x[n * in_ + i];
          dx[n * in_ + i] += d * w[o * in_ + i];
        }
      }
    update(gradient);
    return dx;
  }

  const Numbers& weights() const { return weights_.back(); }

 private:
  Numbers forward_weights(int t) const {
    Numbers w = weights_[t];
    const std::string form = mitigation_.prediction;
    for (size_t i = 0; i < w.size(); ++i) {
      if (form == "velocity") w[i] -= rate * delay_ * velocities_[t][i];
      if (form == "difference" && t > 0) w[i] += delay_ * (weights_[t][i] - weights_[t - 1][i]);
    }
    return w;
  }

  /// v = m v + g; W -= rate (a v + b g) with a = m^D, b = (1 - m^D) / (1 - m); or a = 1, b = 0.
  void update(const Numbers& g) {
    const double a = mitigation_.compensation ? std::pow(momentum, delay_) : 1;
    const double b = (1 - a) / (1 - momentum);
    Numbers w = weights_.back(), v = velocities_.back();
    for (size_t i = 0; i < w.size(); ++i) {
      v[i] = momentum * v[i] + g[i];
      w[i] -= rate * (a * v[i] + b * g[i]);
    }
    weights_.push_back(w);
    velocities_.push_back(v);
  }

  int in_, out_;
  bool is_last_;
  int delay_;
  Mitigation mitigation_;
  std::vector<Numbers> weights_, velocities_;      ///< by version
  std::vector<std::pair<Numbers, Numbers>> kept_;  ///< by micro-batch
};

/// Gradient of the mean over samples of -log softmax(y)(target).
Numbers loss_gradient(const Numbers& y, const std::vector<int32_t>& targets) {
  Numbers dy(y.size());
  for (int n = 0; n < samples; ++n) {
    double sum = 0;
    for (int c = 0; c < classes; ++c) sum += std::exp(y[n * classes + c]);
    for (int c = 0; c < classes; ++c)
      dy[n * classes + c] =
          (std::exp(y[n * classes + c]) / sum - (targets[n] == c ? 1 : 0)) / samples;
  }
  return dy;
}

std::vector<Numbers> by_formula(const live::RealJob& job, const Mitigation& mitigation) {
  std::vector<Dense> layers;
  for (int s = 0; s < stages; ++s)
    layers.emplace_back(s, mitigation, job.model.stages[static_cast<size_t>(s)].initial);
  for (int b = 0; b < updates; ++b) {
    const train::Batch batch = job.training.batch(b, {}, 0);
    Numbers x(batch.features.begin(), batch.features.end());
    for (Dense& layer : layers) x = layer.forward(b, x);
    x = loss_gradient(x, batch.targets);
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) x = layer->backward(b, x);
  }
  std::vector<Numbers> weights;
  for (const Dense& layer : layers) weights.push_back(layer.weights());
  return weights;
}

live::RealJob perceptron(const Mitigation& m) {
  return live_job(
      {.model = fmt::format("{{cnn: {{input: [{}, 1, 1], layers: [dense {}, dense {}, dense {}, "
                            "dense {}]}}}}",
                            inputs, widths[1], widths[2], widths[3], classes),
       .pipeline = stages,
       .micro_batches = updates,
       .schedule =
           fmt::format("{{name: pipelined-backprop, clock: {}, weight_prediction: {}, "
                       "spike_compensation: {}}}",
                       m.lockstep ? "lockstep" : "alternating", m.prediction, m.compensation),
       .learning_rate = rate});
}

/// The largest over stages of |a - b| / |b|.
double apart(const std::vector<std::vector<float>>& a, const std::vector<Numbers>& b) {
  double most = 0;
  for (size_t s = 0; s < b.size(); ++s) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < b[s].size(); ++i) {
      difference += std::pow(a[s][i] - b[s][i], 2);
      size += std::pow(b[s][i], 2);
    }
    most = std::max(most, std::sqrt(difference / size));
  }
  return most;
}

TEST(Mitigations, live_ranks_follow_the_formulas) {
  const auto kernels = kernels::cpu_kernels();
  for (const bool lockstep : {false, true}) {
    for (const char* prediction : {"false", "velocity", "difference"}) {
      for (const bool compensation : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", lockstep, prediction, compensation));
        const Mitigation m{prediction, compensation, lockstep};
        const live::RealJob job = perceptron(m);
        const train::Trained live = run_job(job, *kernels);
        EXPECT_LT(apart(live.weights, by_formula(job, m)), 1e-5);
        const Mitigation other{prediction, !compensation, lockstep};
        EXPECT_GT(apart(live.weights, by_formula(job, other)), 1e-3) << "the spikes show";
        if (prediction[0] == 'f') continue;
        const Mitigation plain{"false", compensation, lockstep};
        EXPECT_GT(apart(live.weights, by_formula(job, plain)), 1e-3) << "the prediction shows";
      }
    }
  }
}

// Without spikes the last change is the velocity, so that both forms look ahead alike; with them
// they do not.
TEST(Mitigations, both_forms_of_prediction_are_one_without_compensation) {
  const auto kernels = kernels::cpu_kernels();
  for (const bool compensation : {false, true}) {
    const Mitigation velocity{"velocity", compensation, true},
        difference{"difference", compensation, true};
    const train::Trained live = run_job(perceptron(difference), *kernels);
    const double between = apart(live.weights, by_formula(perceptron(velocity), velocity));
    if (compensation)
      EXPECT_GT(between, 1e-3);
    else
      EXPECT_LT(between, 1e-5);
  }
}

TEST(Mitigations, one_device_with_the_same_delays_ends_alike) {
  const auto kernels = kernels::cpu_kernels();
  for (const char* prediction : {"false", "velocity", "difference"}) {
    const live::RealJob job = perceptron({prediction, true, true});
    expect_as_on_one_device(job, live::reads_of(job.prepared.schedule));
  }
}

// Adam's update has no velocity that a late gradient would have added to.
TEST(Mitigations, compensation_is_of_momentum) {
  for (const char* optimizer : {"adam", "adamw"})
    EXPECT_THROW(live_job({.model = "{cnn: {input: [6, 1, 1], layers: [{repeat: 4, layers: [dense "
                                    "6]}]}}",
                           .schedule = "{name: pipelined-backprop, spike_compensation: true}",
                           .optimizer = optimizer}),
                 InputError);
}

}  // namespace
}  // namespace pipewright::test
