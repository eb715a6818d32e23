#include "diagnose/data_subgroups.hpp"

#include <algorithm>

namespace pipewright::diagnose {
namespace {

bool joins_data_ranks(const RunSlice& slice) {
  return slice.kind == RunSliceKind::data_sum || slice.kind == RunSliceKind::data_gather;
}

}  // namespace

DataSubgroups::DataSubgroups(const RunTrace& trace, const RunGroups& places) : places_(places) {
  std::map<int32_t, int32_t> replicas;  // by place in the pipeline
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const RunTraceRank& place = places.place_of(rank);
    if (!places.stands_for_all(rank)) continue;
    replicas[place.pipeline] += places.replicas_of(rank);
    ranks_ = std::max({ranks_, place.data + 1, replicas[place.pipeline]});
  }
  for (const RunSlice& slice : trace.slices)
    if (joins_data_ranks(slice) && size_of(slice) < ranks_) {
      all_.insert({class_of(slice), slice.stage, data_of(slice), slice.start, slice.end});
      shown_.insert({slice.stage, data_of(slice)});
    }
  compare(trace);
}

int32_t DataSubgroups::size_of(const RunSlice& slice) const {
  const int32_t size = slice.devices / std::max(places_.degrees().context, 1);
  return size > 0 && ranks_ % size == 0 ? size : ranks_;
}

int DataSubgroups::missed(const RunSlice& slice, bool in_a_row) const {
  const int32_t size = size_of(slice), own = data_of(slice);
  int missed = 0;
  for (int32_t member = 0; member < size; ++member) {
    const int32_t data =
        in_a_row ? own / size * size + member : own % parts_of(size) + member * parts_of(size);
    missed += shown_.contains({slice.stage, data}) &&
              !all_.contains({class_of(slice), slice.stage, data, slice.start, slice.end});
  }
  return missed;
}

void DataSubgroups::compare(const RunTrace& trace) {
  for (const RunSlice& slice : trace.slices) {
    if (!joins_data_ranks(slice) || size_of(slice) == ranks_) continue;
    const int64_t more = missed(slice, false) - missed(slice, true);
    in_a_row_[class_of(slice)] += more;
    of_size_in_a_row_[size_class_of(slice)] += more;
  }
}

int64_t DataSubgroups::group_of(const RunSlice& slice) const {
  const int32_t size = size_of(slice);
  if (size == ranks_) return -1;
  // Groups of one size and either kind have numbers of their own.
  const int64_t first = int64_t{2} * size * ranks_, own = data_of(slice);
  return is_in_a_row(slice) ? first + own / size : first + ranks_ + own % parts_of(size);
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
