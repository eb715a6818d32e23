#include "diagnose/transfers.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace pipewright::diagnose {
namespace {

/// Clocks of hosts differ by about this much.
constexpr Time host_clock_error = microseconds(50);

/// A pass of the model, wherever it runs.
struct PassName {
  int32_t data, stage, micro_batch;
  bool backward;
  auto operator<=>(const PassName&) const = default;
};

class Matching {
 public:
  Matching(const MeasuredJob& job, size_t step) : job_(job), step_(step), all_(job.of_step(step)) {
    result_.pass.assign(all_.size(), nothing);
    result_.other = result_.feeds = fed_by_ = result_.pass;
  }

  Transfers run() {
    name_passes();
    match_by_name();
    for (int rank = 0; rank < job_.ranks(); ++rank)
      for (const OperationKind kind : {OperationKind::forward_send, OperationKind::forward_recv,
                                       OperationKind::backward_send, OperationKind::backward_recv})
        match(rank, kind);
    join_sides();
    return std::move(result_);
  }

 private:
  static bool goes_back(OperationKind kind) {
    return kind == OperationKind::backward || kind == OperationKind::backward_send ||
           kind == OperationKind::backward_recv;
  }
  static bool sends(OperationKind kind) {
    return kind == OperationKind::forward_send || kind == OperationKind::backward_send;
  }

  PassName name_of(const TracedOperation& one) const {
    return {one.dp_rank, job_.model_stage(one), one.micro_batch, goes_back(one.kind)};
  }
  static PassName next_of(PassName name) {
    name.stage += name.backward ? -1 : 1;
    return name;
  }

  void name_passes() {
    for (size_t i = 0; i < all_.size(); ++i)
      if (is_pass(all_[i].kind) && job_.model_stage(all_[i]) >= 0) passes_[name_of(all_[i])] = i;
    for (const auto& [name, i] : passes_)
      if (const auto found = passes_.find(next_of(name)); found != passes_.end()) {
        result_.feeds[i] = found->second;
        fed_by_[found->second] = i;
      }
  }

  /// Whether a message leaves (or reaches) the pass at all.
  bool has_message(size_t pass, bool sent) const {
    const size_t other = sent ? result_.feeds[pass] : fed_by_[pass];
    if (other != nothing) return all_[other].stage != all_[pass].stage;
    const int stage = job_.model_stage(all_[pass]), last = job_.model_stages() - 1;
    const bool to_the_left = goes_back(all_[pass].kind) == sent;
    return to_the_left ? stage > 0 : stage < last;
  }

  void match_by_name() {
    for (size_t i = 0; i < all_.size(); ++i) {
      if (!is_transfer(all_[i].kind) || !names_pass(all_[i])) continue;
      if (const auto found = passes_.find(name_of(all_[i])); found != passes_.end())
        result_.pass[i] = found->second;
      else
        ++result_.unmatched;
    }
  }

  /// The k-th message is that of the k-th pass. The trace may have one for passes at the ends of
  /// the model too, but for the first; and some before the first pass or after the last.
  void match(int rank, OperationKind kind) {
    std::vector<size_t> passes = passes_of(job_, step_, rank);
    std::erase_if(passes, [&](size_t i) { return goes_back(all_[i].kind) != goes_back(kind); });
    std::vector<size_t> messages = messages_of(rank, kind);
    if (passes.empty() || messages.empty()) return;
    drop_outside(passes, messages, sends(kind));
    const bool sent = sends(kind);
    if (messages.size() + 1 == passes.size() && !sent && !has_message(passes.front(), sent))
      passes.erase(passes.begin());
    if (messages.size() != passes.size())
      std::erase_if(passes, [&](size_t i) { return !has_message(i, sent); });
    if (messages.size() != passes.size()) {
      result_.unmatched += messages.size();
      return;
    }
    for (size_t k = 0; k < passes.size(); ++k)
      if (has_message(passes[k], sent)) result_.pass[messages[k]] = passes[k];
  }

  std::vector<size_t> messages_of(int rank, OperationKind kind) const {
    const std::span<const TracedOperation> of_rank = job_.of(step_, rank);
    const auto first = static_cast<size_t>(of_rank.data() - all_.data());
    std::vector<size_t> messages;
    for (size_t i = 0; i < of_rank.size(); ++i)
      if (of_rank[i].kind == kind && !names_pass(of_rank[i])) messages.push_back(first + i);
    return messages;
  }

  void drop_outside(const std::vector<size_t>& passes, std::vector<size_t>& messages,
                    bool sent) const {
    Time first_end = all_[passes.front()].end(), last_start = all_[passes.front()].start;
    for (const size_t pass : passes) {
      first_end = std::min(first_end, all_[pass].end());
      last_start = std::max(last_start, all_[pass].start);
    }
    std::erase_if(messages, [&](size_t i) {
      return sent ? all_[i].end() < first_end - host_clock_error
                  : all_[i].start > last_start + host_clock_error;
    });
  }

  void join_sides() {
    std::map<size_t, size_t> received;  // by the pass that is fed
    for (size_t i = 0; i < all_.size(); ++i)
      if (result_.pass[i] != nothing && !sends(all_[i].kind)) received[result_.pass[i]] = i;
    for (size_t i = 0; i < all_.size(); ++i) {
      if (result_.pass[i] == nothing || !sends(all_[i].kind)) continue;
      const auto found = received.find(result_.feeds[result_.pass[i]]);
      if (found == received.end()) continue;
      result_.other[i] = found->second;
      result_.other[found->second] = i;
    }
  }

  const MeasuredJob& job_;
  size_t step_;
  std::span<const TracedOperation> all_;
  std::map<PassName, size_t> passes_;
  std::vector<size_t> fed_by_;  ///< by pass; the other way of Transfers::feeds
  Transfers result_;
};

}  // namespace

Transfers match_transfers(const MeasuredJob& job, size_t step) { return Matching(job, step).run(); }

void name_chunks(MeasuredJob& job) {
  for (size_t step = 0; step < job.steps.size(); ++step) {
    const Transfers found = match_transfers(job, step);
    TracedOperation* const first = job.operations.data() + job.first_of(step);
    for (size_t i = 0; i < found.pass.size(); ++i)
      if (found.pass[i] != nothing && first[i].chunk < 0)
        first[i].chunk = first[found.pass[i]].chunk;
  }
}

}  // namespace pipewright::diagnose
