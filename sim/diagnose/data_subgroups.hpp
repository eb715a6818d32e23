// Which of the data ranks of a stage take part in a collective of some of them, in a trace of our
// own.
//
// Weights that are cut over a part of the replicas, and experts, join ranks that follow one
// another; what is summed over these parts joins the ranks at one position of each. Collectives
// that begin and end at once tell which. Where all do, weights are gathered by ranks that follow
// one another.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "diagnose/run_groups.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

class DataSubgroups {
 public:
  /// Both must outlive it.
  DataSubgroups(const RunTrace& trace, const RunGroups& places);

  /// Returns the number of the group that `slice`, a collective of data ranks, is of; -1: all ranks
  /// of its stage take part.
  int64_t group_of(const RunSlice& slice) const;

 private:
  /// Kind, whether it scatters, devices.
  using SizeClass = std::tuple<RunSliceKind, bool, int32_t>;
  /// The same with bytes.
  using Class = std::pair<SizeClass, int64_t>;
  /// Collectives of one class that begin and end at once on data ranks of a stage.
  struct Moment {
    Class of;
    int32_t stage = 0;
    Time start, end;
    auto operator<=>(const Moment&) const = default;
  };
  /// By moment, the data rank of each collective.
  using Moments = std::map<Moment, std::vector<int32_t>>;
  /// How data ranks are cut into groups: by their size, and whether ranks of one follow one
  /// another.
  struct Cut {
    int32_t size = 1;
    bool in_a_row = true;
    auto operator<=>(const Cut&) const = default;
  };

  static SizeClass size_class_of(const RunSlice& slice) {
    return {slice.kind, slice.scatters, slice.devices};
  }
  static Class class_of(const RunSlice& slice) { return {size_class_of(slice), slice.bytes}; }
  int32_t data_of(const RunSlice& slice) const { return places_.place_of(slice.rank).data; }
  int32_t size_of(int32_t devices) const;
  int32_t group_in(const Cut& cut, int32_t data) const;
  bool is_in_a_row(const RunSlice& slice) const;
  void compare(const Moments& moments);
  const std::map<int32_t, int64_t>& shown_of(int32_t stage, const Cut& cut);
  int64_t missed(const Moment& moment, const std::vector<int32_t>& data, const Cut& cut);

  const RunGroups& places_;
  int32_t ranks_ = 1;  ///< data ranks of the job, as far as the trace tells
  std::map<int32_t, std::set<int32_t>> shown_;  ///< by stage, the data ranks that have any
  /// By stage and cut, how many of each group are shown.
  std::map<std::pair<int32_t, Cut>, std::map<int32_t, int64_t>> shown_of_;
  /// By how many fewer members of a row than of one position are missed.
  std::map<Class, int64_t> in_a_row_;
  std::map<SizeClass, int64_t> of_size_in_a_row_;
};

}  // namespace pipewright::diagnose
