// Closed forms of very many candidates: what is costly to know of a model is found once for each
// way to run a layer.
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include "search/chain.hpp"

namespace pipewright::search {

/// For plain pipelines of devices that are alike under gpipe, 1f1b, zb-h1 and interleaved-1f1b,
/// without overlap of tensor collectives. May be shared by threads.
class ClosedForms {
 public:
  explicit ClosedForms(const Problem& problem);

  bool knows(const Candidate& candidate) const;
  /// As study/estimate.hpp has it, and a bound, for a candidate that it knows: empty for one that
  /// cannot be, or whose weights do not fit.
  ///
  /// The bound (Estimated::least): no event simulation takes less. For rank r, whose first stage is
  /// r, with passes that end with their last kernel:
  ///   m sum of its F + B, before it sum over j < r of F_j for the first micro-batch to come
  ///   through, and after it sum over j < r of I_j, where the rank ends with a backward: the last
  ///   gradient still has to go through the stages before.
  std::optional<Estimated> of(const Candidate& candidate);

 private:
  struct Prefix;
  const Prefix& prefix(const Candidate& candidate);

  const Problem& problem_;
  Given given_;
  bool overlaps_ = false;
  std::mutex mutex_;
  std::map<std::tuple<int, int, std::string>, std::shared_ptr<const Prefix>> prefixes_;
};

}  // namespace pipewright::search
