#include "study/anchor_fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string_view>

#include "base/required.hpp"
#include "experiment/anchor.hpp"
#include "experiment/experiment.hpp"
#include "result/unexplained.hpp"

namespace pipewright {
namespace {

using config::Value;

/// Predictions of runs that are sure to have a measured time.
struct Prediction {
  double iteration_s = 0;
  double slower = 1;  ///< measured over predicted
  Regime regime;
};

constexpr size_t most_runs = 10;

class Fitting {
 public:
  Fitting(std::vector<MeasuredRun>& runs, const config::Catalogue& catalogue,
          const RunOptions& options, int jobs)
      : runs_(runs), catalogue_(catalogue), options_(options), jobs_(jobs) {}

  /// Predicts every run as it stands. Throws InputError for what makes no anchor.
  std::vector<ValidationRun> unanchored() {
    check_names();
    for (MeasuredRun& run : runs_) {
      run.experiment = resolve(run.experiment, catalogue_);
      if (const Value* anchor = run.experiment.find("anchor"))
        anchor->fail(fmt::format("run '{}' has an anchor: an anchor is fitted to runs without one",
                                 run.name));
    }
    std::vector<ValidationRun> rows = validated();
    for (size_t i = 0; i < rows.size(); ++i) check(rows[i], rows.front(), runs_[i].experiment);
    return rows;
  }

  std::vector<Prediction> predictions(const Anchor& anchor) {
    for (MeasuredRun& run : runs_) run.experiment.set("anchor", anchor_document(anchor));
    std::vector<Prediction> all;
    for (const ValidationRun& row : validated()) all.push_back(prediction_of(row));
    return all;
  }

  static Prediction prediction_of(const ValidationRun& row) {
    if (!row.predicted) throw Failure(fmt::format("run '{}': {}", row.name, row.reason));
    return {required(row.predicted->iteration_time_s, "every prediction has a time"),
            required(row.slower(), "the run has a measured time"), row.regime};
  }

 private:
  std::vector<ValidationRun> validated() {
    return validate(runs_, catalogue_, options_, jobs_, [](size_t) {}).runs;
  }

  void check_names() const {
    if (runs_.size() > most_runs)
      throw InputError(fmt::format("{} runs: an anchor takes one to {}", runs_.size(), most_runs));
    std::set<std::string_view> names;
    for (const MeasuredRun& run : runs_)
      if (!names.insert(run.name).second)
        run.experiment.fail(fmt::format("two runs are named '{}'", run.name));
  }

  static void check(const ValidationRun& row, const ValidationRun& first, const Value& experiment) {
    const auto fail = [&](const std::string& why) {
      experiment.fail(fmt::format("run '{}' makes no anchor: {}", row.name, why));
    };
    if (!row.predicted) fail(row.reason);
    if (!row.slower()) fail("it has no measured iteration_time_s or samples_per_s");
    const Regime &its = row.regime, &others = first.regime;
    if (its.framework == "given") fail("the experiment gives its times");
    if (its.device.empty()) fail("its cluster does not say what the devices are");
    if (its.framework != others.framework || its.device != others.device)
      fail(fmt::format("it is of {} on {}, the first run of {} on {}", its.framework, its.device,
                       others.framework, others.device));
  }

  std::vector<MeasuredRun>& runs_;
  const config::Catalogue& catalogue_;
  const RunOptions& options_;
  int jobs_;
};

Anchor empty_anchor(const std::vector<ValidationRun>& rows) {
  Anchor anchor = prior_anchor();
  anchor.framework = rows.front().regime.framework;
  anchor.device = rows.front().regime.device;
  anchor.runs = static_cast<int>(rows.size());
  double doublings = 0;
  for (const ValidationRun& row : rows) doublings += std::log2(row.regime.nodes);
  anchor.nodes = std::exp2(doublings / static_cast<double>(rows.size()));
  return anchor;
}

/// What the runs say where the factors are those of `anchor`.
std::vector<AnchorPoint> points_at(const Anchor& anchor, Fitting& fitting) {
  constexpr double more = 1.1;
  const std::vector<Prediction> here = fitting.predictions(anchor);
  std::vector<AnchorPoint> points;
  for (const Prediction& one : here) points.push_back({.slower = std::log(one.slower)});
  for (size_t part = 0; part < anchor.factors.size(); ++part) {
    Anchor longer = anchor;
    longer.factors[part] *= more;
    const std::vector<Prediction> there = fitting.predictions(longer);
    for (size_t i = 0; i < here.size(); ++i)
      points[i].shares[part] =
          std::log(there[i].iteration_s / here[i].iteration_s) / std::log(more);
  }
  return points;
}

double distance(const AnchorParts& a, const AnchorParts& b) {
  double most = 0;
  for (size_t part = 0; part < a.size(); ++part)
    most = std::max(most, std::abs(std::log(a[part] / b[part])));
  return most;
}

}  // namespace

AnchorFit fit_anchor(std::vector<MeasuredRun> runs, const config::Catalogue& catalogue,
                     const RunOptions& options, int jobs) {
  constexpr int most_rounds = 6;
  constexpr double close = 1e-3;
  Fitting fitting(runs, catalogue, options, jobs);
  const std::vector<ValidationRun> before = fitting.unanchored();
  AnchorFit fit{.anchor = empty_anchor(before)};
  for (int round = 0; round < most_rounds; ++round) {
    const AnchorParts last = fit.anchor.factors;
    fit.anchor = updated(fit.anchor, points_at(fit.anchor, fitting));
    if (distance(fit.anchor.factors, last) < close) break;
  }
  const std::vector<Prediction> after = fitting.predictions(fit.anchor);
  std::vector<RunOfRegime> anchored;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Prediction first = Fitting::prediction_of(before[i]);
    fit.runs.push_back(
        {runs[i].name, first.iteration_s * first.slower, first.iteration_s, after[i].iteration_s});
    anchored.push_back({fit.runs.back(), after[i].regime});
  }
  fit.anchor = doubted(fit.anchor, anchored);
  return fit;
}

}  // namespace pipewright
