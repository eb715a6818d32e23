#include "diagnose/stopping_messages.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {
namespace {

class StoppingMessages {
 public:
  StoppingMessages(const RunTrace& trace, const std::vector<std::vector<PassSpan>>& passes)
      : passes_(passes) {
    for (size_t rank = 0; rank < passes.size(); ++rank) {
      rank_of_[trace.number_of(rank)] = rank;
      for (const PassSpan& one : passes[rank]) {
        tracks_.insert({rank, one.pass.track});
        ends_[{rank, one.pass.stage, one.pass.micro_batch, one.pass.slice,
               one.pass.kind == OperationKind::backward}] = one.end;
      }
    }
  }

  /// Whether the message stands on no lane on which its rank computes.
  bool is_free(const RunSlice& message) const {
    return !tracks_.contains({message.rank, message.track});
  }

  /// Whether it begins later than the pass has ended that made it.
  bool waits(const RunSlice& message) const {
    const auto made =
        ends_.find({message.rank, message.stage, message.micro_batch, message.slice, message.back});
    return made != ends_.end() && message.start > made->second + same_time;
  }

  /// Whether either side computes meanwhile.
  bool is_beside_compute(const RunSlice& message) const {
    const auto receiver = rank_of_.find(message.to_rank);
    return computes(message.rank, message) ||
           (receiver != rank_of_.end() && computes(receiver->second, message));
  }

 private:
  bool computes(size_t rank, const RunSlice& message) const {
    const std::vector<PassSpan>& passes = passes_[rank];
    const auto next =
        std::ranges::lower_bound(passes, message.end - same_time, {}, &PassSpan::start);
    return next != passes.begin() && std::prev(next)->end > message.start + same_time;
  }

  const std::vector<std::vector<PassSpan>>& passes_;
  std::map<int32_t, size_t> rank_of_;  ///< by number
  std::set<std::pair<size_t, int64_t>> tracks_;
  /// By rank, stage, micro-batch, slice and whether it goes back.
  std::map<std::tuple<size_t, int32_t, int32_t, int32_t, bool>, Time> ends_;
};

}  // namespace

bool messages_stop_ranks(const RunTrace& trace, const std::vector<std::vector<PassSpan>>& passes) {
  const StoppingMessages messages(trace, passes);
  bool wait = false;
  for (const RunSlice& slice : trace.slices) {
    if (slice.kind != RunSliceKind::message || !messages.is_free(slice)) continue;
    if (messages.is_beside_compute(slice)) return false;
    wait = wait || messages.waits(slice);
  }
  return wait;
}

}  // namespace pipewright::diagnose
