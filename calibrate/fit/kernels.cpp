#include "calibrate/fit/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/fit/held_out.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::fit {
namespace {

// Parameters are logarithms, so that constants stay positive; a share is a logit.
constexpr double outlier = 0.1;
constexpr size_t most_samples = 3000;
constexpr int64_t many_points = 2000;
constexpr int64_t least_rows = 256;  // of a training run's products

double microseconds_of(double logarithm) { return std::min(std::exp(logarithm) * 1e-6, 1.0); }

GemmConstants gemm_from(const std::vector<double>& p) {
  GemmConstants c{.rate = std::exp(p[0]), .launch_s = microseconds_of(p[1])};
  c.tiles = {.intensity = std::exp(p[2]),
             .epilogue = std::exp(p[3]),
             .split_s = microseconds_of(p[4]),
             .quantisation = 1 / (1 + std::exp(-p[5])),
             .prologue_s = microseconds_of(p[6]),
             .memory_fraction = std::exp(p[7])};
  if (p.size() > 8) c.cast_bytes = std::exp(p[8]);
  return c;
}

/// A benchmark of narrow products casts one operand as well.
std::vector<double> gemm_start(DType dtype) {
  std::vector<double> start = {std::log(0.75), std::log(3),   std::log(44),  std::log(0.75),
                               std::log(2.7),  std::log(0.5), std::log(0.3), std::log(0.73)};
  if (element_bytes(dtype) < 2) start.push_back(std::log(3));
  return start;
}

AttentionConstants attention_from(const std::vector<double>& p, bool one_width) {
  AttentionConstants c{.rate = std::exp(p[0]),
                       .launch_s = microseconds_of(p[1]),
                       .longest = std::exp(p[2]),
                       .tail = std::exp(p[3]),
                       .memory = std::exp(p[4])};
  if (!one_width) c.softmax = std::exp(p[5]);
  return c;
}

std::vector<double> attention_start() {
  return {std::log(0.7), std::log(10), 0, 0, std::log(0.7), std::log(64)};
}

/// Returns at most `most_samples`, evenly over the table.
std::vector<Sample> thinned(const std::vector<Sample>& samples) {
  const size_t every = (samples.size() + most_samples - 1) / most_samples;
  std::vector<Sample> some;
  for (size_t i = 0; i < samples.size(); i += every) some.push_back(samples[i]);
  return some;
}

double measured_gemm_seconds(const Sample& s, DType dtype, const Device& device,
                             const GemmConstants& constants) {
  return gemm_seconds(measured_product(dtype, device, s.sizes[2], s.sizes[0], s.sizes[1]),
                      constants);
}

/// The pull of a parameter to where it started, for what the points do not decide: each parameter
/// is taken to lie there, give or take a factor of e^2, where a point is good to 5 %.
constexpr double pull = 0.05 / 2;

/// Logarithms of predicted over measured, outliers damped, then the pull to the start.
template <class F>
std::vector<double> residuals(const std::vector<Sample>& samples, F&& predicted,
                              const std::vector<double>& at, const std::vector<double>& start) {
  std::vector<double> logs;
  logs.reserve(samples.size());
  for (const Sample& s : samples)
    logs.push_back(robust(std::log(predicted(s) / s.seconds), outlier));
  for (size_t i = 0; i < at.size(); ++i) logs.push_back(pull * (at[i] - start[i]));
  return logs;
}

/// Returns the number of parts of which one is held out. With few points more must be held out for
/// a percentile to mean something.
uint64_t parts_of(const PointTable& table) { return table.count() >= many_points ? 10 : 5; }

std::vector<Guess> guesses(const Cut& cut, const PointTable& table, const Device& device) {
  const PointTable seen = table_of(*table.keys, table.dtype, cut.seen);
  const MeasuredGemm model(gemm_constants(seen, device), device, seen);
  std::vector<Guess> all;
  for (const Sample& s : cut.held)
    if (s.sizes[2] >= least_rows)
      all.push_back({s, measured_gemm_seconds(s, table.dtype, device, model.constants()) *
                            model.factor(s.sizes[2], s.sizes[0], s.sizes[1]).seconds});
  return all;
}

HeldOutError gemm_error(const std::string& points, const Cut& cut, const PointTable& table,
                        const Device& device) {
  std::vector<double> errors;
  for (const Guess& guess : guesses(cut, table, device))
    errors.push_back(std::abs(guess.seconds / guess.sample.seconds - 1));
  return percentiles(points, std::move(errors));
}

HeldOutError attention_error(const std::string& points, const Cut& cut, const PointTable& table,
                             const Device& device) {
  const PointTable seen = table_of(*table.keys, table.dtype, cut.seen);
  const MeasuredAttention model(attention_constants(seen, device), device, seen);
  return error_at(points, cut.held, [&](const Sample& s) {
    return attention_seconds(causal_forward(s.sizes), device, table.dtype, model.constants()) *
           model.factor(s.sizes).seconds;
  });
}

}  // namespace

GemmConstants gemm_constants(const PointTable& table, const Device& device) {
  const std::vector<Sample> samples = thinned(samples_of(table));
  const auto model = [&](const std::vector<double>& p) {
    const GemmConstants constants = gemm_from(p);
    return residuals(
        samples,
        [&](const Sample& s) { return measured_gemm_seconds(s, table.dtype, device, constants); },
        p, gemm_start(table.dtype));
  };
  return gemm_from(least_squares(model, gemm_start(table.dtype)));
}

AttentionConstants attention_constants(const PointTable& table, const Device& device) {
  const std::vector<Sample> samples = thinned(samples_of(table));
  const bool one_width = std::all_of(samples.begin(), samples.end(), [&](const Sample& s) {
    return s.sizes[3] == samples.front().sizes[3];
  });
  std::vector<double> start = attention_start();
  if (one_width) start.pop_back();  // a constant and a share of the width cannot be told apart
  const auto model = [&](const std::vector<double>& p) {
    const AttentionConstants constants = attention_from(p, one_width);
    return residuals(
        samples,
        [&](const Sample& s) {
          return attention_seconds(causal_forward(s.sizes), device, table.dtype, constants);
        },
        p, start);
  };
  return attention_from(least_squares(model, start), one_width);
}

std::vector<Guess> unseen_products(const PointTable& table, const Device& device) {
  return guesses(cut_points(table, parts_of(table)), table, device);
}

GemmProfile fit_gemm(const PointTable& table, const Device& device) {
  const uint64_t parts = parts_of(table);
  const HeldOutError points = gemm_error(
      fmt::format("a random {} of the points, m >= 256", parts == 10 ? "tenth" : "fifth"),
      cut_points(table, parts), table, device);
  return {MeasuredGemm(gemm_constants(table, device), device, table),
          {points, gemm_error("a random tenth of the pairs n, k, m >= 256", cut_rows(table, 10),
                              table, device)}};
}

AttentionProfile fit_attention(const PointTable& table, const Device& device) {
  return {.model = MeasuredAttention(attention_constants(table, device), device, table),
          .held_out = {
              attention_error("a random fifth of the points", cut_points(table, 5), table, device),
              attention_error("a random tenth of batch, heads, kv_heads, head_dim",
                              cut_rows(table, 10), table, device)}};
}

}  // namespace pipewright::fit
