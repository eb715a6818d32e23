#include <fmt/format.h>

#include <cmath>
#include <set>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

/// A pass that takes half as long again as others of its rank is late by more than kernels vary: on
/// one device their times are within a few per cent of each other.
constexpr double late = 1.5;

using PassOnRank = std::tuple<int, OperationKind, int32_t>;  // rank, direction, chunk

Candidate garbage_collection(const Evidence& evidence) {
  Candidate candidate{.kind = CauseKind::host,
                      .aspect = Aspect::host,
                      .who = "garbage collection",
                      .remedy =
                          "collect Python's garbage on all ranks in the same step, or freeze "
                          "what lives for long (gc.freeze)"};
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (one.kind == OperationKind::gc && evidence.lengths[body] > Time{})
      candidate.cure.push_back({body, Time{}});
  });
  return candidate;
}

class LatePasses {
 public:
  explicit LatePasses(const Evidence& evidence)
      : evidence_(evidence), factors_(sequence_factors(evidence)) {
    std::map<PassOnRank, std::vector<double>> all;
    evidence_.for_each([&](const TracedOperation& one, OpId body) {
      if (computes(one.kind)) all[place_of(one)].push_back(even_length(one, body));
    });
    for (auto& [place, times] : all) usual_[place] = median_of(std::move(times));
  }

  Candidate run() {
    Candidate candidate{.kind = CauseKind::host, .aspect = Aspect::host, .who = {}};
    std::set<int> ranks;
    evidence_.for_each([&](const TracedOperation& one, OpId body) {
      if (!computes(one.kind)) return;
      const double usual = usual_.at(place_of(one));
      if (even_length(one, body) <= late * usual) return;
      candidate.cure.push_back({body, seconds(usual * factor_of(one) * evidence_.clocks.of(body)) +
                                          evidence_.lengths[body] -
                                          evidence_.own_length(one, body)});
      ranks.insert(evidence_.job.rank_of(one));
    });
    if (ranks.size() == 1)
      candidate.who =
          fmt::format("pauses, data rank {}, stage {}", *ranks.begin() / evidence_.job.stages,
                      *ranks.begin() % evidence_.job.stages);
    else
      candidate.who = fmt::format("pauses on {} ranks", ranks.size());
    candidate.remedy =
        "look at what hosts do in single passes that take long: garbage collection, data loading, "
        "checkpoints, memory that is allocated anew";
    return candidate;
  }

 private:
  PassOnRank place_of(const TracedOperation& one) const {
    return {evidence_.job.rank_of(one), one.kind, one.chunk};
  }
  double factor_of(const TracedOperation& one) const {
    const auto found = factors_.find({one.step, one.dp_rank, one.micro_batch});
    return found == factors_.end() || found->second <= 0 ? 1 : found->second;
  }
  /// In seconds, if its micro-batch were as long as others and its clock as in the beginning.
  double even_length(const TracedOperation& one, OpId body) const {
    return evidence_.own(one, body) / factor_of(one);
  }

  const Evidence& evidence_;
  SequenceFactors factors_;
  std::map<PassOnRank, double> usual_;
};

}  // namespace

std::vector<Candidate> pauses(const Evidence& evidence) {
  std::vector<Candidate> found;
  for (Candidate& one : std::vector{garbage_collection(evidence), LatePasses(evidence).run()})
    if (!one.cure.empty()) found.push_back(std::move(one));
  return found;
}

}  // namespace pipewright::diagnose
