#include "diagnose/tensor_peers.hpp"

#include <algorithm>
#include <limits>

#include "diagnose/candidates.hpp"
#include "diagnose/measured_job.hpp"
#include "diagnose/run_passes.hpp"
#include "diagnose/slow_parts.hpp"

namespace pipewright::diagnose {
namespace {

/// The part of `own_s` that the median of the others is, at most 1.
double median_part(double own_s, std::vector<double> others_s) {
  if (others_s.empty() || own_s <= 0) return 1;
  return std::clamp(median_of(std::move(others_s)) / own_s, 0.0, 1.0);
}

}  // namespace

TensorPeers::TensorPeers(const RunTrace& trace, const RunGroups& places)
    : trace_(trace), places_(places), last_(trace.ranks.size()), standing_(trace.ranks.size()) {
  find_standing();
  // Context ranks stand as tensor ranks, and sum with the data ranks.
  if (places.degrees().context > 1) return;
  find_chains();
  find_sums();
  find_last();
}

TensorPeers::Group TensorPeers::group_of(size_t rank) const {
  return {places_.place_of(rank).pipeline, places_.place_of(rank).tensor};
}

void TensorPeers::find_standing() {
  std::map<std::pair<int32_t, int32_t>, size_t> standing;  // by data rank and rank of a pipeline
  for (size_t rank = 0; rank < last_.size(); ++rank) {
    last_[rank] = places_.stands_for_all(rank);
    if (last_[rank])
      standing.try_emplace({places_.place_of(rank).data, places_.place_of(rank).pipeline}, rank);
  }
  for (size_t rank = 0; rank < last_.size(); ++rank) {
    const auto found =
        standing.find({places_.place_of(rank).data, places_.place_of(rank).pipeline});
    standing_[rank] = found == standing.end() ? rank : found->second;
  }
}

/// By rank of a pipeline and tensor rank, when updates and collectives end, of all steps together.
void TensorPeers::find_last() {
  std::map<Group, std::map<int32_t, double>> ends;  // then by step
  for (const RunSlice& slice : trace_.slices) {
    if (!joins_data_ranks(slice.kind) && slice.kind != RunSliceKind::update) continue;
    double& end = ends[group_of(slice.rank)][slice.step];
    end = std::max(end, in_seconds(slice.end));
  }
  std::map<int32_t, std::map<int32_t, double>> all;
  for (const auto& [group, steps] : ends)
    for (const auto& [step, end] : steps) all[group.first][group.second] += end;
  for (const auto& [pipeline, of_tensor] : all) choose(pipeline, of_tensor);
}

/// Whether the bytes of their collectives take about as long.
bool TensorPeers::are_alike(int32_t pipeline, const std::set<int32_t>& tensor) const {
  const auto found = sums_s_.find(pipeline);
  if (found == sums_s_.end() || tensor.empty()) return true;
  double least_s = std::numeric_limits<double>::infinity(), most_s = 0;
  for (const int32_t one : tensor) {
    const auto sum = found->second.find(one);
    if (sum == found->second.end()) return true;
    least_s = std::min(least_s, sum->second);
    most_s = std::max(most_s, sum->second);
  }
  return most_s <= notable_part * least_s;
}

/// Where the ranks that stand for their tensor groups end last, they are looked at here, too. Those
/// of tensor ranks that are unlike each other are of no one collective.
void TensorPeers::choose(int32_t pipeline, const std::map<int32_t, double>& ends) {
  double standing_s = 0;
  std::set<int32_t> standing;
  std::map<int32_t, size_t> members;  // how many replicas have the tensor rank
  size_t replicas = 0;
  for (size_t rank = 0; rank < last_.size(); ++rank) {
    if (group_of(rank).first != pipeline) continue;
    ++members[group_of(rank).second];
    const auto end = ends.find(group_of(rank).second);
    if (standing_[rank] != rank || end == ends.end()) continue;
    ++replicas;
    standing.insert(end->first);
    standing_s = std::max(standing_s, end->second);
  }
  const auto last = std::ranges::max_element(ends, {}, [](const auto& one) { return one.second; });
  const bool end_last = last->second <= standing_s + in_seconds(same_time);
  if ((end_last && are_alike(pipeline, standing)) || members[last->first] != replicas) return;
  for (size_t rank = 0; rank < last_.size(); ++rank)
    if (group_of(rank).first == pipeline) last_[rank] = group_of(rank).second == last->first;
}

void TensorPeers::find_chains() {
  std::map<std::tuple<Chain, int32_t, uint32_t>, Time> first;  // then by tensor rank and rank
  for (const RunSlice& slice : trace_.slices) {
    if (!joins_data_ranks(slice.kind)) continue;
    const auto [pipeline, tensor] = group_of(slice.rank);
    const Chain chain{pipeline, slice.kind == RunSliceKind::data_gather, slice.step};
    Span& span = chains_[chain][tensor];
    span.end = std::max(span.end, slice.end);
    Time& begin = first.try_emplace({chain, tensor, slice.rank}, slice.start).first->second;
    begin = std::min(begin, slice.start);
  }
  for (const auto& [which, begin] : first) {
    Span& span = chains_[std::get<0>(which)][std::get<1>(which)];
    span.begin = std::max(span.begin, begin);
  }
}

/// What the bytes of collectives take: from the start of the last member on.
void TensorPeers::find_sums() {
  using Place = std::tuple<RunSliceKind, int32_t, int32_t, int32_t, int32_t, size_t>;
  std::map<std::tuple<uint32_t, RunSliceKind, int32_t, int32_t>, size_t> next;
  std::map<Place, Span> all;  // by kind, pipeline, tensor, stage, step and place in it
  for (const RunSlice& slice : trace_.slices) {
    if (!joins_data_ranks(slice.kind)) continue;
    const auto [pipeline, tensor] = group_of(slice.rank);
    const size_t place = next[{slice.rank, slice.kind, slice.stage, slice.step}]++;
    Span& span = all[{slice.kind, pipeline, tensor, slice.stage, slice.step, place}];
    span.begin = std::max(span.begin, slice.start);
    span.end = std::max(span.end, slice.end);
  }
  for (const auto& [place, span] : all) {
    const auto [kind, pipeline, tensor, stage, step, number] = place;
    const Time bytes = span.end - span.begin;
    sums_s_[pipeline][tensor] += in_seconds(bytes);
    chains_[{pipeline, kind == RunSliceKind::data_gather, step}][tensor].bytes += bytes;
  }
}

/// Of the collectives of the step before or behind its passes, what `measure` tells.
template <class Measure>
double TensorPeers::part_elsewhere(const RunSlice& collective, Measure measure) const {
  const auto [pipeline, tensor] = group_of(collective.rank);
  const bool gathers = collective.kind == RunSliceKind::data_gather;
  const auto chain = chains_.find({pipeline, gathers, collective.step});
  if (chain == chains_.end()) return 1;
  double own_s = 0;
  std::vector<double> others_s;
  for (const auto& [other, span] : chain->second) {
    const double time_s = in_seconds(measure(span));
    if (other == tensor)
      own_s = time_s;
    else
      others_s.push_back(time_s);
  }
  return median_part(own_s, std::move(others_s));
}

double TensorPeers::behind(const RunSlice& collective, Time passes) const {
  const bool gathers = collective.kind == RunSliceKind::data_gather;
  return part_elsewhere(
      collective, [&](const Span& span) { return span.behind(gathers ? span.begin : passes); });
}

double TensorPeers::hidden(const RunSlice& sum, Time passes) const {
  return part_elsewhere(sum, [&](const Span& span) { return span.hidden(passes); });
}

double TensorPeers::within(size_t rank) const {
  const auto [pipeline, tensor] = group_of(rank);
  const auto found = sums_s_.find(pipeline);
  if (found == sums_s_.end() || !found->second.contains(tensor)) return 1;
  std::vector<double> others_s;
  for (const auto& [other, sum_s] : found->second)
    if (other != tensor) others_s.push_back(sum_s);
  return median_part(found->second.at(tensor), std::move(others_s));
}

}  // namespace pipewright::diagnose
