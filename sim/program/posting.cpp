#include "program/posting.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace pipewright {
namespace {

/// The run in which transfers hold nobody.
class Lockstep {
 public:
  Lockstep(const std::vector<std::vector<PostingOp>>& ops, const std::vector<int>& receiver)
      : ops_(ops), receiver_(receiver), sent_(receiver.size(), unsent), free_(ops.size()) {
    starts_.resize(ops.size());
    for (size_t rank = 0; rank < ops.size(); ++rank) ready_.push_back(rank);
    while (!ready_.empty()) {
      const size_t rank = ready_.back();
      ready_.pop_back();
      advance(rank);
    }
  }

  /// The first op of `rank` that does not start before `message` is sent.
  size_t first_after(size_t rank, int message) const {
    const std::vector<int64_t>& starts = starts_[rank];
    const auto found = std::lower_bound(starts.begin(), starts.end(), sent_[message]);
    return static_cast<size_t>(found - starts.begin());
  }
  bool complete() const {
    for (size_t rank = 0; rank < ops_.size(); ++rank)
      if (starts_[rank].size() < ops_[rank].size()) return false;
    return true;
  }

 private:
  static constexpr int64_t unsent = -1;

  void advance(size_t rank) {
    while (starts_[rank].size() < ops_[rank].size()) {
      const PostingOp& op = ops_[rank][starts_[rank].size()];
      int64_t start = free_[rank];
      for (const int message : op.receives) {
        if (sent_[message] == unsent) return;
        start = std::max(start, sent_[message]);
      }
      starts_[rank].push_back(start);
      free_[rank] = start + op.length;
      for (const int message : op.sends) {
        sent_[message] = free_[rank];
        ready_.push_back(static_cast<size_t>(receiver_[message]));
      }
    }
  }

  const std::vector<std::vector<PostingOp>>& ops_;
  const std::vector<int>& receiver_;
  std::vector<int64_t> sent_, free_;
  std::vector<std::vector<int64_t>> starts_;
  std::vector<size_t> ready_;
};

}  // namespace

std::vector<std::vector<std::vector<int>>> post_receives(
    const std::vector<std::vector<PostingOp>>& ops, const std::vector<int>& receiver) {
  const Lockstep lockstep(ops, receiver);
  ensure(lockstep.complete(), "an order that can run does so in lockstep");
  std::vector<std::vector<std::vector<int>>> posted(ops.size());
  for (size_t rank = 0; rank < ops.size(); ++rank) {
    posted[rank].resize(ops[rank].size());
    for (const PostingOp& op : ops[rank])
      for (const int message : op.receives)
        posted[rank][lockstep.first_after(rank, message)].push_back(message);
  }
  return posted;
}

}  // namespace pipewright
