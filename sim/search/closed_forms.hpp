// Closed forms of very many candidates: what is costly to know of a model is found once for each
// way to run a layer.
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include "estimate/closed_form.hpp"
#include "search/problem.hpp"

namespace pipewright::search {

/// For plain pipelines under a schedule whose Kind is plain, without overlap of tensor collectives.
/// May be shared by threads.
class ClosedForms {
 public:
  explicit ClosedForms(const Problem& problem);

  bool knows(const Candidate& candidate) const;
  /// As estimate/closed_form.hpp has it, for a candidate that it knows: empty for one that cannot
  /// be, or does not fit.
  std::optional<Estimated> of(const Candidate& candidate);

 private:
  PipelineForms* forms(const Candidate& candidate);

  const Problem& problem_;
  Given given_;
  bool overlaps_ = false;
  bool draws_ = false;  ///< chips, which may be quicker than a bound knows
  std::mutex mutex_;
  // Tensor degree, micro-batch, recomputation, context and expert degree, whether weights are cut.
  using Key = std::tuple<int, int, std::string, int, int, bool>;
  /// Null where the model does not allow these degrees.
  std::map<Key, std::unique_ptr<PipelineForms>> forms_;
};

}  // namespace pipewright::search
