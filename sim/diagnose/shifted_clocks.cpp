#include "diagnose/shifted_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "diagnose/candidates.hpp"
#include "diagnose/far_clocks.hpp"
#include "diagnose/transfers.hpp"

namespace pipewright::diagnose {
namespace {

constexpr double none_known = std::numeric_limits<double>::infinity();
/// Processes of one machine tell the time within this.
constexpr double clock_error = 50e-6;

/// Between the passes of one rank and those of another that they feed, the least time, in seconds.
struct Least {
  double to_start = none_known;      ///< from the end of the one to the start of the other
  double from_message = none_known;  ///< the same from where the message between them ends
  double to_end = none_known;        ///< from the end of the one to the end of the other
  int32_t micro_batch = 0;           ///< of the least to_end
};

class Check {
 public:
  explicit Check(MeasuredJob& job) : job_(job) {
    for (size_t step = 0; step < job.steps.size(); ++step) add_step(step);
  }

  ShiftedClocks run() {
    ShiftedClocks found;
    if (!is_violated(std::vector<double>(static_cast<size_t>(job_.ranks())))) return found;
    found.contradiction = contradiction();
    if (!found.contradiction.empty()) return found;
    const std::vector<double> offsets = offsets_of_ranks();
    if (is_violated(offsets)) return found;
    move(offsets, found);
    return found;
  }

 private:
  static bool sends(OperationKind kind) {
    return kind == OperationKind::forward_send || kind == OperationKind::backward_send;
  }

  void add_step(size_t step) {
    const Transfers transfers = match_transfers(job_, step);
    const std::span<const TracedOperation> all = job_.of_step(step);
    std::map<size_t, Time> sent;  // by pass, when its message has arrived
    for (size_t i = 0; i < all.size(); ++i)
      if (sends(all[i].kind) && transfers.pass[i] != nothing) {
        Time& end = sent[transfers.pass[i]];
        end = std::max(end, all[i].end());
      }
    for (size_t i = 0; i < all.size(); ++i)
      if (const size_t fed = transfers.feeds[i]; fed != nothing) {
        const auto message = sent.find(i);
        add(all[i], all[fed],
            message == sent.end() ? all[i].end() : std::max(all[i].end(), message->second));
      }
  }

  void add(const TracedOperation& pass, const TracedOperation& fed, Time arrived) {
    const int from = job_.rank_of(pass), to = job_.rank_of(fed);
    if (from == to) return;
    Least& least = least_[{from, to}];
    const auto keep = [](double& one, Time time) { one = std::min(one, in_seconds(time)); };
    keep(least.to_start, fed.start - pass.end());
    keep(least.from_message, fed.start - arrived);
    if (in_seconds(fed.end() - pass.end()) < least.to_end) least.micro_batch = pass.micro_batch;
    keep(least.to_end, fed.end() - pass.end());
  }

  const Least& between(int from, int to) const {
    static const Least nothing_known;
    const auto found = least_.find({from, to});
    return found == least_.end() ? nothing_known : found->second;
  }

  /// Whether a pass begins before the one that feeds it has ended, with these offsets added.
  bool is_violated(const std::vector<double>& offsets) const {
    return std::ranges::any_of(least_, [&](const auto& one) {
      const auto& [ranks, least] = one;
      return least.to_start + offsets[static_cast<size_t>(ranks.second)] -
                 offsets[static_cast<size_t>(ranks.first)] <
             -clock_error;
    });
  }

  /// Two ranks that feed each other and of which one would have to end before it was fed, whatever
  /// their clocks say.
  std::string contradiction() const {
    for (const auto& [ranks, least] : least_) {
      const auto [one, other] = ranks;
      const double both = least.to_end + between(other, one).to_end;
      if (one < other && both < -clock_error)
        return fmt::format(
            "{} and {} feed each other, and whatever their clocks say a pass ends before the one "
            "that feeds it (micro-batches {} and {})",
            name(one), name(other), least.micro_batch, between(other, one).micro_batch);
    }
    return {};
  }

  std::string name(int rank) const {
    const std::string stage = fmt::format("stage {}", rank % job_.stages);
    return job_.data == 1 ? stage : fmt::format("{} of data rank {}", stage, rank / job_.stages);
  }

  /// What has to be added to the clock of `to` where that of `from` is right: nothing where that
  /// may be. Else the first message between two ranks is waited for, and arrives just in time.
  double difference(int from, int to) const {
    const Least &there = between(from, to), &back = between(to, from);
    if (there.to_start >= -clock_error && back.to_start >= -clock_error) return 0;
    const bool is_later = from % job_.stages < to % job_.stages;
    const double by_there = -there.from_message, by_back = back.from_message;
    if (std::isinf(by_back)) return by_there;
    if (std::isinf(by_there)) return by_back;
    return is_later ? std::min(by_there, back.to_start) : std::max(by_back, -there.to_start);
  }

  std::vector<int> neighbours(int rank) const {
    std::vector<int> all;
    for (const auto& [ranks, least] : least_) {
      if (ranks.first == rank) all.push_back(ranks.second);
      if (ranks.second == rank) all.push_back(ranks.first);
    }
    return all;
  }

  /// Most ranks of those that messages join are right.
  std::vector<double> offsets_of_ranks() const {
    std::vector<double> offsets(static_cast<size_t>(job_.ranks()));
    std::vector<bool> known(offsets.size());
    for (int start = 0; start < job_.ranks(); ++start) {
      if (known[static_cast<size_t>(start)]) continue;
      known[static_cast<size_t>(start)] = true;
      std::vector<int> joined;
      for (std::queue<int> open({start}); !open.empty(); open.pop()) {
        const int rank = open.front();
        joined.push_back(rank);
        for (const int other : neighbours(rank)) {
          const auto place = static_cast<size_t>(other);
          if (known[place]) continue;
          known[place] = true;
          offsets[place] = offsets[static_cast<size_t>(rank)] + difference(rank, other);
          open.push(other);
        }
      }
      subtract_usual(joined, offsets);
    }
    return offsets;
  }

  static void subtract_usual(const std::vector<int>& joined, std::vector<double>& offsets) {
    std::vector<double> all;
    for (const int rank : joined) all.push_back(offsets[static_cast<size_t>(rank)]);
    // One that a rank has, not what lies between two.
    std::ranges::sort(all);
    const double usual = all[(all.size() - 1) / 2];
    for (const int rank : joined) offsets[static_cast<size_t>(rank)] -= usual;
  }

  void move(const std::vector<double>& offsets, ShiftedClocks& found) {
    for (TracedOperation& one : job_.operations)
      one.start += seconds(offsets[static_cast<size_t>(job_.rank_of(one))]);
    for (const double offset : offsets) {
      found.ranks += std::abs(offset) > clock_error ? 1 : 0;
      found.largest_s = std::max(found.largest_s, std::abs(offset));
    }
  }

  MeasuredJob& job_;
  std::map<std::pair<int, int>, Least> least_;  ///< by the ranks from which and to which
};

}  // namespace

ShiftedClocks shift_clocks(MeasuredJob& job) {
  // Without messages collectives tell, which end together.
  if (job.stages > 1) return Check(job).run();
  const double largest = bring_near(job);
  return {.ranks = largest > 0 ? 1 : 0, .largest_s = largest};
}

}  // namespace pipewright::diagnose
