#include <algorithm>
#include <cmath>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

using PassPlace = std::tuple<int32_t, OperationKind, int32_t>;  // stage, direction, chunk

/// A sequence is long for all ranks of a tensor or context group: what one of them takes longer
/// than the others is none of its length.
double own_of(const Evidence& evidence, const TracedOperation& one, OpId body) {
  double own = evidence.own(one, body);
  for (const SlowMember& member : evidence.job.slow_members)
    if (member.data == one.dp_rank && member.stage == one.stage) own /= member.slowdown;
  return own;
}

/// The mean length of the passes of each stage, over all data ranks.
std::map<PassPlace, double> mean_passes(const Evidence& evidence) {
  std::map<PassPlace, std::pair<double, int>> sums;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!computes(one.kind)) return;
    auto& [sum, count] = sums[{one.stage, one.kind, one.chunk}];
    sum += own_of(evidence, one, body);
    ++count;
  });
  std::map<PassPlace, double> means;
  for (const auto& [place, sum] : sums) means[place] = sum.first / sum.second;
  return means;
}

/// A long sequence is long in both directions. What is long in one alone, as the last backward that
/// sums its gradients beside it, is none.
double factor_of(std::vector<double> forward, std::vector<double> backward) {
  if (forward.empty() || backward.empty())
    return median_of(std::move(forward.empty() ? backward : forward));
  const double one = median_of(std::move(forward)), other = median_of(std::move(backward));
  if ((one > 1) != (other > 1)) return 1;
  return one > 1 ? std::min(one, other) : std::max(one, other);
}

using Factors = std::vector<double*>;

/// A replica that is slow has nothing but long sequences. It is told by all of them being longer,
/// by so many standard errors of their mean, as chance makes one of ten thousands.
constexpr double standard_errors = 4;
/// Degrees of freedom by which a replica tells how much its own sequences vary.
constexpr size_t fewest = 3;

/// Of one replica, or of several about the mean of each.
struct Variation {
  double squares = 0;
  size_t freedom = 0;

  double variance() const { return squares / static_cast<double>(freedom); }
};

double mean_of(const Factors& factors) {
  double sum = 0;
  for (const double* one : factors) sum += *one;
  return sum / static_cast<double>(factors.size());
}

Variation variation_of(const Factors& of_replica) {
  const double mean = mean_of(of_replica);
  Variation variation{.freedom = of_replica.size() - 1};
  for (const double* one : of_replica) variation.squares += std::pow(*one - mean, 2);
  return variation;
}

void take_replica_out(const Factors& of_replica, const Variation& varies) {
  const double mean = mean_of(of_replica);
  if (varies.freedom < fewest || mean <= 0) return;
  const double error = std::sqrt(varies.variance() / static_cast<double>(of_replica.size()));
  if (std::abs(mean - 1) <= standard_errors * error) return;
  for (double* one : of_replica) *one /= mean;
}

/// What each replica updates for, over what all do.
std::map<int32_t, double> update_factors(const Evidence& evidence) {
  std::map<int32_t, double> own, factors;
  double all = 0;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (one.kind != OperationKind::optimizer) return;
    own[one.dp_rank] += in_seconds(evidence.lengths[body]);
    all += in_seconds(evidence.lengths[body]);
  });
  for (const auto& [data, sum] : own)
    if (all > 0) factors[data] = sum * static_cast<double>(own.size()) / all;
  return factors;
}

/// Updates take as long however long sequences are, and longer on a slow device: where a replica
/// has one micro-batch, these tell.
bool is_of_devices(double of_passes, double of_updates) {
  if (of_passes <= 0 || of_updates <= 0) return false;
  return std::log(of_updates) / std::log(of_passes) > 0.5;
}

/// Where a replica has few micro-batches, sequences vary as within all replicas together.
void take_replicas_out(const std::map<int32_t, double>& updates, SequenceFactors& factors) {
  std::map<int32_t, Factors> by_data;
  for (auto& [micro_batch, factor] : factors) by_data[std::get<1>(micro_batch)].push_back(&factor);
  Variation together;
  for (const auto& [data, of_replica] : by_data) {
    const Variation own = variation_of(of_replica);
    together.squares += own.squares;
    together.freedom += own.freedom;
  }
  for (const auto& [data, of_replica] : by_data) {
    const Variation own = variation_of(of_replica);
    take_replica_out(of_replica, own.freedom >= fewest ? own : together);
    const auto update = updates.find(data);
    if (together.freedom > 0 || update == updates.end()) continue;
    if (double& one = *of_replica.front(); is_of_devices(one, update->second)) one = 1;
  }
}

}  // namespace

SequenceFactors sequence_factors(const Evidence& evidence) {
  const std::map<PassPlace, double> means = mean_passes(evidence);
  struct Ratios {
    std::vector<double> forward, backward;
  };
  std::map<std::tuple<int32_t, int32_t, int32_t>, Ratios> ratios;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!computes(one.kind)) return;
    const double mean = means.at({one.stage, one.kind, one.chunk});
    if (mean <= 0) return;
    Ratios& own = ratios[{one.step, one.dp_rank, one.micro_batch}];
    (one.kind == OperationKind::forward ? own.forward : own.backward)
        .push_back(own_of(evidence, one, body) / mean);
  });
  SequenceFactors factors;
  for (auto& [micro_batch, own] : ratios)
    factors[micro_batch] = factor_of(std::move(own.forward), std::move(own.backward));
  take_replicas_out(update_factors(evidence), factors);
  return factors;
}

std::vector<Candidate> unequal_sequences(const Evidence& evidence) {
  const SequenceFactors factors = sequence_factors(evidence);
  Candidate candidate{.kind = CauseKind::sequence_lengths,
                      .aspect = Aspect::sequence,
                      .who = "micro-batches",
                      .remedy =
                          "balance micro-batches by what their sequences take, squares "
                          "included, over data ranks and steps"};
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!computes(one.kind)) return;
    const auto found = factors.find({one.step, one.dp_rank, one.micro_batch});
    if (found == factors.end() || found->second <= 0) return;
    const Time own = evidence.own_length(one, body), waits = evidence.lengths[body] - own;
    const double length = static_cast<double>(own.ps) / found->second;
    candidate.cure.push_back({body, Time{std::llround(length)} + waits});
  });
  return {std::move(candidate)};
}

}  // namespace pipewright::diagnose
