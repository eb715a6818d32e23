// What data ranks do together, held against the same on other tensor ranks, in a trace of our own.
//
// The tensor ranks of a stage sum and gather in groups of their own, each over as many bytes. A
// step waits for the last of them: that is the one to look at behind the passes, whichever rank
// stands for its tensor group within them. A slow link between two tensor ranks also slows the
// groups of these two, and the others show what is usual.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "diagnose/run_groups.hpp"

namespace pipewright::diagnose {

class TensorPeers {
 public:
  /// Both must outlive it.
  TensorPeers(const RunTrace& trace, const RunGroups& places);

  /// Whether the updates and collectives behind the passes of its replica of a stage are those of
  /// this rank.
  bool is_last(size_t rank) const { return last_[rank]; }
  /// The rank of its replica whose passes are looked at.
  size_t standing(size_t rank) const { return standing_[rank]; }

  /// The part of what such a collective of the rank takes that it takes on the other tensor ranks:
  /// 1 where there are none, or where these take as long. Of a sum what sticks out behind `passes`
  /// counts: the end of the last passes of all that take part, for which sums wait.
  double behind(const RunSlice& collective, Time passes) const;
  /// The same of what passes that end at `passes` hide of sums.
  double hidden(const RunSlice& sum, Time passes) const;
  /// The same of all collectives of its stage, wherever they stand.
  double within(size_t rank) const;

 private:
  using Group = std::pair<int32_t, int32_t>;         // rank of a pipeline, tensor rank
  using Chain = std::tuple<int32_t, bool, int32_t>;  // rank of a pipeline, gathers, step
  struct Span {
    Time begin, end;  ///< when the last member begins with the first, and the last end
    Time bytes{};     ///< what the bytes of all take

    Time behind(Time passes) const { return std::max(end - passes, Time{}); }
    Time hidden(Time passes) const { return std::max(bytes - behind(passes), Time{}); }
  };
  using Spans = std::map<int32_t, Span>;  // by tensor rank

  Group group_of(size_t rank) const;
  void find_standing();
  void find_last();
  void find_chains();
  void find_sums();
  template <class Measure>
  double part_elsewhere(const RunSlice& collective, Measure measure) const;
  bool are_alike(int32_t pipeline, const std::set<int32_t>& tensor) const;
  void choose(int32_t pipeline, const std::map<int32_t, double>& ends);

  const RunTrace& trace_;
  const RunGroups& places_;
  std::vector<bool> last_;
  std::vector<size_t> standing_;
  std::map<Chain, Spans> chains_;
  std::map<int32_t, std::map<int32_t, double>> sums_s_;  ///< by rank of a pipeline, tensor rank
};

}  // namespace pipewright::diagnose
