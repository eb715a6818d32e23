#include "diagnose/data_subgroups.hpp"

#include <algorithm>

#include "diagnose/run_passes.hpp"

namespace pipewright::diagnose {

DataSubgroups::DataSubgroups(const RunTrace& trace, const RunGroups& places) : places_(places) {
  std::map<int32_t, int32_t> replicas;  // by place in the pipeline
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const RunTraceRank& place = places.place_of(rank);
    if (!places.stands_for_all(rank)) continue;
    replicas[place.pipeline] += places.replicas_of(rank);
    ranks_ = std::max({ranks_, place.data + 1, replicas[place.pipeline]});
  }
  Moments moments;
  for (const RunSlice& slice : trace.slices)
    if (joins_data_ranks(slice.kind) && size_of(slice.devices) < ranks_) {
      moments[{class_of(slice), slice.stage, slice.start, slice.end}].push_back(data_of(slice));
      shown_[slice.stage].insert(data_of(slice));
    }
  compare(moments);
}

int32_t DataSubgroups::size_of(int32_t devices) const {
  const int32_t size = devices / std::max(places_.degrees().context, 1);
  return size > 0 && ranks_ % size == 0 ? size : ranks_;
}

int32_t DataSubgroups::group_in(const Cut& cut, int32_t data) const {
  return cut.in_a_row ? data / cut.size : data % (ranks_ / cut.size);
}

const std::map<int32_t, int64_t>& DataSubgroups::shown_of(int32_t stage, const Cut& cut) {
  const auto [found, fresh] = shown_of_.try_emplace({stage, cut});
  if (fresh)
    for (const int32_t data : shown_.at(stage)) ++found->second[group_in(cut, data)];
  return found->second;
}

/// So many members that the trace shows have none at that moment, for each collective of `data`
/// anew. Members of a group miss the same ones: groups are looked at, and not pairs of members.
int64_t DataSubgroups::missed(const Moment& moment, const std::vector<int32_t>& data,
                              const Cut& cut) {
  struct Count {
    int64_t collectives = 0;
    std::set<int32_t> ranks;
  };
  std::map<int32_t, Count> counts;
  for (const int32_t one : data) {
    Count& count = counts[group_in(cut, one)];
    ++count.collectives;
    count.ranks.insert(one);
  }
  const std::map<int32_t, int64_t>& shown = shown_of(moment.stage, cut);
  int64_t missed = 0;
  for (const auto& [group, count] : counts)
    missed += count.collectives * (shown.at(group) - std::ssize(count.ranks));
  return missed;
}

void DataSubgroups::compare(const Moments& moments) {
  for (const auto& [moment, data] : moments) {
    const SizeClass& size_class = moment.of.first;
    const int32_t size = size_of(std::get<int32_t>(size_class));
    const int64_t more = missed(moment, data, {size, false}) - missed(moment, data, {size, true});
    in_a_row_[moment.of] += more;
    of_size_in_a_row_[size_class] += more;
  }
}

int64_t DataSubgroups::group_of(const RunSlice& slice) const {
  const int32_t size = size_of(slice.devices);
  if (size == ranks_) return -1;
  // Groups of one size and either kind have numbers of their own.
  const Cut cut{size, is_in_a_row(slice)};
  return int64_t{2} * size * ranks_ + (cut.in_a_row ? 0 : ranks_) + group_in(cut, data_of(slice));
}

bool DataSubgroups::is_in_a_row(const RunSlice& slice) const {
  if (const auto found = in_a_row_.find(class_of(slice));
      found != in_a_row_.end() && found->second != 0)
    return found->second > 0;
  const bool cuts = slice.kind == RunSliceKind::data_gather || slice.scatters;
  if (!cuts) return false;
  if (const auto found = of_size_in_a_row_.find(size_class_of(slice));
      found != of_size_in_a_row_.end() && found->second != 0)
    return found->second > 0;
  return places_.sharing_experts() == 1;
}

}  // namespace pipewright::diagnose
