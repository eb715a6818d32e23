#include "calibrate/live/claims.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "calibrate/live/work/real_job.hpp"
#include "calibrate/live/work/real_work.hpp"
#include "calibrate/train/parallel/lenet.hpp"
#include "calibrate/train/reference/reference.hpp"
#include "config/catalogue.hpp"

namespace pipewright::live {
namespace {

using train::Array;
using train::Movement;
using train::Workers;

Array random_array(kernels::Kernels& kernels, int64_t rows, int64_t columns, train::Random& random,
                   double deviation = 1) {
  Array array = kernels.array(rows, columns);
  std::vector<float> numbers(static_cast<size_t>(rows * columns));
  for (float& number : numbers) number = static_cast<float>(deviation * random.normal());
  kernels.upload(numbers, array);
  return array;
}

std::vector<float> numbers_of(kernels::Kernels& kernels, const Array& array) {
  std::vector<float> numbers(static_cast<size_t>(array.tensor.size()));
  if (!numbers.empty()) kernels.download(array, numbers);
  return numbers;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                            [](double x, double y) { return x * y; });
}

double dot(kernels::Kernels& kernels, const Workers& a, const Workers& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += dot(numbers_of(kernels, a[i]), numbers_of(kernels, b[i]));
  return sum;
}

/// y is F of other numbers plus noise: an inner product near 0 would be all rounding.
LiveCase adjoint_case(const std::string& name, const Movement& movement) {
  const auto kernels = kernels::cpu_kernels();
  train::Random random(1);
  Workers x, y;
  for (const train::Range& range : movement.own)
    x.push_back(random_array(*kernels, 4, range.count, random));
  const Workers fx = forward(movement, *kernels, x);
  for (size_t i = 0; i < fx.size(); ++i) {
    y.push_back(random_array(*kernels, 4, movement.want[i].count, random));
    kernels->add(2, fx[i], y.back());
  }
  return {name, "<F x, y>", "<x, F* y>", dot(*kernels, fx, y),
          dot(*kernels, x, adjoint(movement, *kernels, y))};
}

std::vector<LiveCase> adjoint_cases() {
  const auto even = [](int64_t columns, int workers) {
    return train::even_parts(columns, workers);
  };
  return {
      adjoint_case("send-receive", train::send(0, 2, 3, 64)),
      adjoint_case("broadcast, sum-reduce", train::broadcast(0, 4, 64)),
      adjoint_case("scatter", train::repartition({{0, 60}, {}, {}}, even(60, 3))),
      adjoint_case("gather", train::repartition(even(60, 3), {{0, 60}, {}, {}})),
      adjoint_case("all-to-all", train::repartition(even(61, 3), even(61, 5))),
      adjoint_case("halo exchange", train::halo_exchange(even(60, 4), 2, 3)),
  };
}

double distance(kernels::Kernels& kernels, const Array& a, const Array& b) {
  std::vector<float> apart = numbers_of(kernels, a);
  const std::vector<float> from = numbers_of(kernels, b);
  for (size_t i = 0; i < apart.size(); ++i) apart[i] -= from[i];
  return std::sqrt(dot(apart, apart) / dot(from, from));
}

std::vector<LiveCase> split_cases() {
  const auto kernels = kernels::cpu_kernels();
  train::Random random(1);
  const Array x = random_array(*kernels, 4, train::lenet_inputs, random);
  const Array weights = random_array(*kernels, 1, train::lenet_weights, random, 0.2);
  const Array dy = random_array(*kernels, 4, train::lenet_features, random);
  const train::LenetPass whole = train::lenet_over(1, *kernels, x, weights, dy);
  std::vector<LiveCase> cases;
  for (const int workers : {2, 3, 4, 5}) {
    const train::LenetPass split = train::lenet_over(workers, *kernels, x, weights, dy);
    const double apart =
        std::max({distance(*kernels, split.y, whole.y), distance(*kernels, split.dx, whole.dx),
                  distance(*kernels, split.gradients, whole.gradients)});
    cases.push_back({fmt::format("{} workers", workers), "split", "one worker", 1 - apart, 1});
  }
  return cases;
}

// Rates for batches of one follow from those for a batch of 32 as the paper scales them (Kosson et
// al., arXiv 2003.11666): the same decay and the same step for as many samples.
constexpr int reference_batch = 32, updates = 3200, quarter = updates / 4;

train::OptimizerOptions rates_for_one() {
  train::OptimizerOptions rates{.rule = train::Rule::momentum};
  const double decay = std::pow(rates.momentum, 1.0 / reference_batch);
  rates.learning_rate *= (1 - decay) / ((1 - rates.momentum) * reference_batch);
  rates.momentum = decay;
  return rates;
}

RealJob one_by_one(const std::string& mitigations) {
  const std::string yaml = fmt::format(
      "model: {{cnn: {{input: [32, 1, 1], layers: [{{repeat: 5, layers: [dense 48]}}, dense "
      "8]}}}}\n"
      "cluster: {{devices: 6, device: {{flops: {{fp32: 1 TFLOP/s}}, memory: 1 GiB,\n"
      "           memory_bandwidth: 10 GB/s}}, link: {{latency: 1 us, bandwidth: 1 GB/s}}}}\n"
      "parallel: {{pipeline: 6}}\nbatch: {{global: {}, micro: 1}}\nprecision: fp32\n"
      "optimizer: momentum\n"
      "schedule: {{name: pipelined-backprop, clock: lockstep, {}}}\n",
      updates, mitigations);
  RealJob job = make_real_job(config::parse(yaml, "batches of one"), config::Catalogue{}, {});
  const bool differences = job.training.optimizer.differences;
  job.training.optimizer = rates_for_one();
  job.training.optimizer.differences = differences;
  return job;
}

double last_loss(const train::Trained& trained) {
  return std::accumulate(trained.losses.end() - quarter, trained.losses.end(), 0.0) / quarter;
}

train::Trained run_pipelined(const RealJob& job, kernels::Kernels& kernels) {
  RealWork work(job.program, job.prepared.schedule, job.model, job.training, kernels);
  run_live(job.program, work);
  return work.result();
}

std::vector<LiveCase> batch_one_cases() {
  const auto kernels = kernels::cpu_kernels();
  const auto newest = [](int, int sample) { return train::Reads{sample, 0}; };
  const RealJob plain = one_by_one("weight_prediction: false");
  const double in_order =
      last_loss(train::train_reference(plain.model, plain.training, {newest, newest}, *kernels));
  std::vector<LiveCase> cases;
  for (const auto& [name, options] : {std::pair{"weight prediction", "weight_prediction: true"},
                                      {"spike compensation", "spike_compensation: true"}})
    cases.push_back({fmt::format("six layers, {}", name), "pipelined", "SGD in order",
                     last_loss(run_pipelined(one_by_one(options), *kernels)), in_order});
  return cases;
}

}  // namespace

std::vector<LiveCase> live_claim(const std::string& check) {
  if (check == "adjoint") return adjoint_cases();
  if (check == "spatial-split") return split_cases();
  if (check == "pipelined-backprop") return batch_one_cases();
  throw InputError(
      fmt::format("claim '{}': one of adjoint, spatial-split, pipelined-backprop", check));
}

}  // namespace pipewright::live
