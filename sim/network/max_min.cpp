// All flows that a link holds up progress alike: bytes by weight are counted once for the link, and
// a flow is a mark on that scale, at which it ends. A change of level touches one number, not every
// flow; and when the first mark will be reached is not computed anew at each change, but bounded by
// the ceiling of the level until it might be next.
#include "network/max_min.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "network/earliest.hpp"
#include "network/fair_shares.hpp"

namespace pipewright {

using network::Earliest;
using network::FairShares;
using network::Fixed;
using network::none;

namespace {

constexpr double byte_unit = 0x1p-40;

Fixed to_mark(double bytes) {
  const double mark = bytes / byte_unit;
  return mark < 0x1p63 ? static_cast<int64_t>(mark) : static_cast<Fixed>(mark);
}

/// The bytes by weight that passed a layer for those that it holds.
struct Clock {
  Fixed passed = 0;                  // by `since`
  Fixed first = network::unlimited;  // mark of the flow that ends next
  Time since;
  double rate = 0;     // since then
  bool exact = false;  // whether its end is known, or only that it is not before some time

  Fixed at(Time now) const {
    return now == since ? passed : passed + to_mark(rate * in_seconds(now - since));
  }

  void advance(Time now, double new_rate) {
    passed = at(now);
    since = now;
    rate = new_rate;
  }

  /// Returns when it comes to `mark`; the longest time where the clock cannot show it.
  Time reaches(Fixed mark, double at_rate) const {
    const double bytes = std::max(0.0, network::to_double(mark - passed) * byte_unit);
    if (bytes == 0) return since;
    const double wait = bytes / at_rate;
    const bool representable = wait < 0.999 * in_seconds(longest_time - since);
    return representable ? since + seconds(wait) : longest_time;
  }
  Time reaches(Fixed mark) const { return reaches(mark, rate); }

  /// No flow ends before, as long as the level stays below `ceiling`.
  Time bound(double ceiling) const {
    const Time time = reaches(first, 1.001 * ceiling);
    return time > since ? time - picoseconds(1) : since;
  }
};

}  // namespace

class MaxMinSharing::Clocks {
 public:
  Clocks(std::span<const Bandwidth> capacities, double tolerance)
      : shares_(capacities, tolerance) {}

  void add(const Flow& flow, Time now) {
    ensure(flow.bytes.count >= 0 && flow.weight > 0 && flow.multiplicity > 0, "not a flow");
    advance(now);
    const uint32_t number = flow.bytes.count == 0 ? none : shares_.add(flow);
    if (number == none) {
      instant_.push_back(flow.id);
      return;
    }
    if (number >= progress_.size()) progress_.resize(number + 1);
    const double share =
        static_cast<double>(flow.bytes.count) / FairShares::held_weight(flow.weight);
    progress_[number] = {to_mark(share), none, flow.id, true};
    dirty_ = true;
  }

  Time next_completion() {
    if (!instant_.empty()) return now_;
    settle();
    return earliest_end();
  }

  void pop_completed(Time now, std::vector<uint32_t>& ids) {
    for (Time next = next_completion(); next <= now && next < longest_time;
         next = next_completion()) {
      now_ = next;
      const auto first = static_cast<std::ptrdiff_t>(ids.size());
      ids.insert(ids.end(), instant_.begin(), instant_.end());
      instant_.clear();
      while (earliest_end() <= now_) pop_layer(earliest_.index(), ids);
      std::sort(ids.begin() + first, ids.end());
    }
    advance(now);
  }

 private:
  struct Progress {
    Fixed mark = 0;  // on the clock of `home`; where that is none, bytes by weight
    uint32_t home = none;
    uint32_t id = 0;
    bool alive = false;
  };

  void advance(Time now) {
    ensure(now >= now_, "time goes back");
    if (now == now_) return;
    settle();
    now_ = now;
  }

  /// Replaces bounds by ends until the first of all is an end.
  Time earliest_end() {
    while (earliest_.time() < longest_time) {
      const uint32_t layer = earliest_.index();
      Clock& clock = clocks_[layer];
      if (clock.exact) break;
      clock.exact = true;
      earliest_.set(layer, clock.reaches(clock.first));
    }
    return earliest_.time();
  }

  /// Removes the flows that end now of those that one layer holds.
  void pop_layer(uint32_t layer, std::vector<uint32_t>& ids) {
    ended_.clear();
    for (const uint32_t flow : shares_.held_by(layer))
      if (clocks_[layer].reaches(progress_[flow].mark) <= now_) ended_.push_back(flow);
    for (const uint32_t flow : ended_) {
      ids.push_back(progress_[flow].id);
      progress_[flow].alive = false;
      shares_.remove(flow);
      dirty_ = true;
    }
    find_next(layer);
  }

  /// Makes all that was added and removed at `now_` take effect.
  void settle() {
    if (!dirty_) return;
    dirty_ = false;
    shares_.solve();
    clocks_.resize(shares_.layers());
    moved_.clear();
    for (const uint32_t flow : shares_.moved_flows()) leave(flow);
    for (const uint32_t layer : shares_.changed_layers()) clocks_[layer].advance(now_, rate(layer));
    for (const uint32_t flow : moved_) progress_[flow].mark += clocks_[progress_[flow].home].passed;
    for (const uint32_t layer : shares_.changed_layers())
      if (shares_.regrouped(layer) || clocks_[layer].exact) find_next(layer);
    shares_.forget_changes();
  }

  /// A layer that holds no flow has no level, and its clock stands.
  double rate(uint32_t layer) const {
    return shares_.held_by(layer).empty() ? 0.0 : shares_.level(layer);
  }

  void leave(uint32_t flow) {
    Progress& progress = progress_[flow];
    if (!progress.alive || progress.home == shares_.bottleneck(flow)) return;
    if (progress.home != none) progress.mark -= clocks_[progress.home].at(now_);
    progress.home = shares_.bottleneck(flow);
    moved_.push_back(flow);
  }

  void find_next(uint32_t layer) {
    Clock& clock = clocks_[layer];
    clock.first = network::unlimited;
    clock.exact = false;
    for (const uint32_t flow : shares_.held_by(layer))
      clock.first = std::min(clock.first, progress_[flow].mark);
    const bool idle = shares_.held_by(layer).empty();
    earliest_.set(layer, idle ? longest_time : clock.bound(shares_.ceiling(layer)));
  }

  FairShares shares_;
  std::vector<Progress> progress_;  // by flow of shares_
  std::vector<Clock> clocks_;       // by layer
  Earliest earliest_;               // end of the first flow of each layer
  std::vector<uint32_t> instant_;   // ids of flows that nothing holds up, which end now
  std::vector<uint32_t> moved_, ended_;
  Time now_;
  bool dirty_ = false;
};

MaxMinSharing::MaxMinSharing(std::span<const Bandwidth> capacities, double tolerance)
    : clocks_(std::make_unique<Clocks>(capacities, tolerance)) {}
MaxMinSharing::~MaxMinSharing() = default;
void MaxMinSharing::add(const Flow& flow, Time now) { clocks_->add(flow, now); }
Time MaxMinSharing::next_completion() const { return clocks_->next_completion(); }
void MaxMinSharing::pop_completed(Time now, std::vector<uint32_t>& ids) {
  clocks_->pop_completed(now, ids);
}

}  // namespace pipewright
