#include "diagnose/missing_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace pipewright::diagnose {
namespace {

using Numbers = std::set<int32_t>;

constexpr size_t shown = 4;

/// "rank 3", "ranks 1, 2, 5, 6 and 8 more".
std::string listed(const char* what, const Numbers& numbers) {
  std::vector<int32_t> first(numbers.begin(), numbers.end());
  first.resize(std::min(first.size(), shown));
  const size_t left = numbers.size() - first.size();
  return fmt::format("{}{} {}{}", what, numbers.size() == 1 ? "" : "s", fmt::join(first, ", "),
                     left > 0 ? fmt::format(" and {} more", left) : "");
}

const char* pronoun(const Numbers& numbers) { return numbers.size() == 1 ? "it" : "them"; }

/// Ranks that messages go to and that are not there.
Numbers missing_receivers(const RunTrace& trace) {
  Numbers there, missing;
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank) there.insert(trace.number_of(rank));
  for (const RunSlice& slice : trace.slices)
    if (slice.kind == RunSliceKind::message && slice.to_rank >= 0 && !there.contains(slice.to_rank))
      missing.insert(slice.to_rank);
  return missing;
}

/// Ranks of the pipeline, up to the last that the trace names, of which no pass is there.
Numbers missing_stages(const RunTrace& trace, const std::vector<std::vector<PassSpan>>& passes) {
  Numbers there, missing;
  int32_t last = 0;
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    last = std::max(last, trace.ranks[rank].pipeline);
    if (!passes[rank].empty()) there.insert(trace.ranks[rank].pipeline);
  }
  for (int32_t stage = 0; stage < last; ++stage)
    if (!there.contains(stage)) missing.insert(stage);
  if (!there.contains(last)) missing.insert(last);
  return missing;
}

/// Passes of one direction whose other direction is missing, of stages that have some of both.
struct Halves {
  size_t forwards = 0, backwards = 0;
  bool goes_back = false;  ///< whether there is any backward pass
};

Halves halves_of(const RunTrace& trace, const std::vector<std::vector<PassSpan>>& passes) {
  using Name = std::tuple<int32_t, int32_t, int32_t, int32_t>;  // stage, data, micro-batch, slice
  std::set<Name> forwards, backwards;
  std::set<int32_t> stages;
  for (size_t rank = 0; rank < passes.size(); ++rank)
    for (const PassSpan& one : passes[rank]) {
      const Name name{one.pass.stage, trace.ranks[rank].data, one.pass.micro_batch, one.pass.slice};
      if (one.pass.kind == OperationKind::forward) forwards.insert(name);
      if (one.pass.kind != OperationKind::backward) continue;
      backwards.insert(name);
      stages.insert(one.pass.stage);
    }
  Halves found{.goes_back = !backwards.empty()};
  for (const Name& name : forwards)
    if (stages.contains(std::get<0>(name)) && !backwards.contains(name)) ++found.forwards;
  for (const Name& name : backwards)
    if (!forwards.contains(name)) ++found.backwards;
  return found;
}

}  // namespace

std::vector<std::string> missing_parts(const RunTrace& trace,
                                       const std::vector<std::vector<PassSpan>>& passes) {
  std::vector<std::string> notes;
  if (const Numbers stages = missing_stages(trace, passes); !stages.empty())
    notes.push_back(fmt::format("this trace has no pass of {}: what waits for {} cannot be told",
                                listed("pipeline rank", stages), pronoun(stages)));
  if (const Numbers ranks = missing_receivers(trace); !ranks.empty())
    notes.push_back(fmt::format(
        "this trace lacks {}, though others send to {}: what waits for {} cannot be told",
        listed("rank", ranks), pronoun(ranks), pronoun(ranks)));
  const Halves halves = halves_of(trace, passes);
  if (!halves.goes_back) notes.push_back("this trace has no backward pass");
  // Where micro-batches repeat, those that are shown differ by direction.
  if (trace.repeats) return notes;
  if (halves.forwards > 0)
    notes.push_back(fmt::format(
        "{} forward passes have no backward pass: the end of the iteration is not in this trace",
        halves.forwards));
  if (halves.backwards > 0)
    notes.push_back(fmt::format(
        "{} backward passes have no forward pass: the begin of the iteration is not in this trace",
        halves.backwards));
  return notes;
}

}  // namespace pipewright::diagnose
