#include "diagnose/usual_collectives.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

/// Collectives of about as many bytes: buckets of gradients differ by what the last one gets.
constexpr int64_t similar = 2;

struct Known {
  OpId body;
  int64_t bytes;
  Time length;
};
using Collectives = std::vector<Known>;  // of one rank and kind, in order

bool are_similar(int64_t one, int64_t other) {
  return one <= similar * other && other <= similar * one;
}

/// What so many bytes take at the rate of `one`, in seconds.
double scaled_to(int64_t bytes, const Known& one) {
  return in_seconds(one.length) * static_cast<double>(bytes) / static_cast<double>(one.bytes);
}

/// How many of about as many bytes come after `place`.
size_t later_ones(const Collectives& all, size_t place) {
  return static_cast<size_t>(
      std::count_if(all.begin() + static_cast<std::ptrdiff_t>(place) + 1, all.end(),
                    [&](const Known& one) { return are_similar(one.bytes, all[place].bytes); }));
}

/// What the one of `bytes` takes in `all` that `later` others come after: nothing where it is
/// hidden. None where no others are of so many bytes.
std::optional<double> time_among(const Collectives& all, int64_t bytes, size_t later) {
  size_t seen = 0;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (!are_similar(one->bytes, bytes)) continue;
    if (seen++ == later) return scaled_to(bytes, *one);
  }
  return seen > 0 ? std::optional(0.0) : std::nullopt;
}

/// The same where none has about as many bytes: by the one that is nearest.
double time_by_nearest(const Collectives& all, int64_t bytes) {
  const auto ratio = [&](const Known& one) {
    return static_cast<double>(std::max(one.bytes, bytes)) /
           static_cast<double>(std::min(one.bytes, bytes));
  };
  return scaled_to(bytes, *std::ranges::min_element(all, {}, ratio));
}

class Comparison {
 public:
  Comparison(const MeasuredJob& job, const MeasuredProgram& trace)
      : stages_(job.stages), shows_hidden_(job.one_clock && !job.lacks) {
    size_t next = 0;
    for (const size_t step : trace.steps)
      for (const TracedOperation& one : job.of_step(step)) {
        const OpId body = trace.body[next++];
        if (is_of_stage(one))
          all_[{job.iteration_of(step, one), one.dp_rank, one.kind}][one.stage].push_back(
              {body, one.bytes, trace.lengths[body]});
      }
  }

  void write(std::vector<Time>& ideal) {
    for (const auto& [which, stages] : all_)
      for (const auto& [stage, own] : stages)
        for (size_t place = 0; place < own.size(); ++place) {
          const OperationKind kind = std::get<OperationKind>(which);
          auto usual = usual_of(stages, stage, place);
          if (!usual && stages_ == 1) usual = usual_alone(kind, own, place);
          if (usual) ideal[own[place].body] = seconds(*usual);
        }
  }

 private:
  using Stages = std::map<int32_t, Collectives>;

  static bool is_of_stage(const TracedOperation& one) {
    return one.bytes > 0 && (one.kind == OperationKind::params_all_gather ||
                             one.kind == OperationKind::grads_reduce_scatter);
  }

  /// Where half of the stages are slow, each of these is held against the others.
  std::optional<double> usual_of(const Stages& stages, int32_t stage, size_t place) const {
    const Collectives& own = stages.at(stage);
    const size_t later = later_ones(own, place);
    std::vector<double> others;
    for (const auto& [other, collectives] : stages) {
      if (other == stage) continue;
      if (const auto time = time_among(collectives, own[place].bytes, later))
        others.push_back(*time);
      else if (shows_hidden_)
        others.push_back(time_by_nearest(collectives, own[place].bytes));
    }
    if (shows_hidden_) others.resize(others.size() + hidden_stages(stages));
    if (others.empty()) return std::nullopt;
    std::vector<double> all = others;
    all.push_back(in_seconds(own[place].length));
    return std::min(median_of(std::move(all)), median_of(std::move(others)));
  }

  /// Stages whose passes hide all collectives of the kind.
  size_t hidden_stages(const Stages& stages) const {
    return static_cast<size_t>(stages_) - stages.size();
  }

  /// A job of one stage has no others: its steps and data ranks have what stands in the same place.
  double usual_alone(OperationKind kind, const Collectives& own, size_t place) {
    const int64_t bytes = own[place].bytes;
    const size_t later = later_ones(own, place);
    const auto [found, fresh] = alone_.try_emplace({kind, bytes, later});
    if (!fresh) return found->second;
    std::vector<double> times;
    for (const auto& [which, stages] : all_)
      if (std::get<OperationKind>(which) == kind)
        for (const auto& [stage, collectives] : stages)
          if (const auto time = time_among(collectives, bytes, later)) times.push_back(*time);
    return found->second = median_of(std::move(times));
  }

  int stages_ = 1;
  bool shows_hidden_ = false;  ///< whether passes hide what the trace lacks of collectives
  std::map<std::tuple<OperationKind, int64_t, size_t>, double> alone_;
  /// By iteration, data rank and kind.
  std::map<std::tuple<size_t, int32_t, OperationKind>, Stages> all_;
};

}  // namespace

void hold_against_other_stages(const MeasuredJob& job, const MeasuredProgram& trace,
                               std::vector<Time>& ideal) {
  Comparison(job, trace).write(ideal);
}

}  // namespace pipewright::diagnose
