#include "diagnose/attribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>

#include "diagnose/lockstep.hpp"

namespace pipewright::diagnose {
namespace {

constexpr double same = 0.85;      // of the best: may be another name of it
constexpr double left = 0.2;       // of what it recovers by itself: it was another name
constexpr double smallest = 2e-3;  // of a step
constexpr size_t most_candidates = 32;
/// Causes that hide each other recover so many times as much together as one by one.
constexpr double more_together = 2;
/// Without one of them the others recover less by this part.
constexpr double needed = 0.02;
/// Below this, passes of a healthy device vary as much (falling_clocks.cpp).
constexpr double least_slowdown = 1.03;
/// What recovers nothing by itself must recover this part of a step when others are cured.
constexpr double smallest_behind = 0.01;
/// Gains are told within this part of them, which tests/cli/outside holds. What recovers less is
/// within the error of another gain.
constexpr double error_of_gains = 0.05;

struct Tried {
  Candidate candidate;
  double alone_s = 0, now_s = 0;
};

/// The trace when some things are cured, by op.
struct Cured {
  std::vector<Time> lengths;
  std::vector<uint8_t> aspects;  ///< that were cured, as bits
  Lockstep::Parts parts;         ///< of passes in lockstep
};

class Attribution {
 public:
  explicit Attribution(const Evidence& evidence)
      : evidence_(evidence),
        lockstep_(evidence.has_peers() ? Lockstep(evidence) : Lockstep()),
        start_{evidence.lengths, std::vector<uint8_t>(evidence.lengths.size()),
               lockstep_.measured()},
        now_(start_),
        step_s_(run(now_.lengths)),
        start_s_(step_s_),
        ideal_s_(run(evidence.ideal)),
        without_causes_s_(start_s_) {}

  std::vector<Cause> run_all(std::vector<Candidate> candidates) {
    start(std::move(candidates));
    while (!open_.empty()) {
      take(best());
      for (Tried& one : open_) one.now_s = step_s_ - without(one.candidate);
      set_aside();
      look_behind();
    }
    tell_shares();
    put_in_order(causes_, evidence_.has_peers() ? Peers::some : Peers::none);
    return std::move(causes_);
  }

 private:
  double run(const std::vector<Time>& lengths) const {
    return mean_seconds(step_times(evidence_.trace, lengths));
  }

  /// `now` times `cured` / `before`: cures of different aspects multiply, as of a micro-batch that
  /// is long on a device that is slow.
  static Time shortened(Time now, Time cured, Time before) {
    if (now == before || before <= Time{}) return cured;
    return seconds(in_seconds(now) * in_seconds(cured) / in_seconds(before));
  }

  static uint8_t bit(Aspect aspect) { return static_cast<uint8_t>(1U << static_cast<int>(aspect)); }

  /// A cure of a pass in lockstep is of what bytes take, or of what its rank computes.
  void cure_part(Aspect aspect, OpId op, Time length, Lockstep::Parts& parts) const {
    const Time before = evidence_.lengths[op], own = lockstep_.measured().own[op];
    if (aspect == Aspect::message) {
      parts.bytes[op] = std::max(parts.bytes[op] - (before - length), Time{});
    } else {
      const Time cured = std::max(length - (before - own), Time{});
      parts.own[op] = shortened(parts.own[op], cured, own);
    }
  }

  /// What is left of `from` when this is cured besides what is cured already.
  Cured with(const Candidate& one, const Cured& from) const {
    Cured to = from;
    std::vector<OpId> together;
    for (const auto& [op, length] : one.cure) {
      if ((from.aspects[op] & bit(one.aspect)) != 0) continue;
      to.aspects[op] |= bit(one.aspect);
      if (!lockstep_.has(op)) {
        to.lengths[op] = shortened(from.lengths[op], length, evidence_.lengths[op]);
      } else if (one.aspect == Aspect::experts) {
        to.lengths[op] = std::min(from.lengths[op], length);
      } else {
        cure_part(one.aspect, op, length, to.parts);
        together.push_back(op);
      }
    }
    lockstep_.settle(to.parts, together, to.lengths);
    return to;
  }

  /// The step if this were cured, too.
  double without(const Candidate& one) const { return run(with(one, now_).lengths); }

  /// Runs those that could recover most: the compute and transfer time that they save.
  void start(std::vector<Candidate> candidates) {
    const auto saved = [&](const Candidate& one) {
      double sum = 0;
      for (const auto& [op, length] : one.cure)
        sum += std::max(0.0, in_seconds(now_.lengths[op] - length));
      return sum;
    };
    std::ranges::stable_sort(candidates, std::greater{}, saved);
    if (candidates.size() > most_candidates) candidates.resize(most_candidates);
    std::vector<Tried> all;
    for (Candidate& one : candidates) {
      const double alone = std::max(step_s_ - without(one), 0.0);
      all.push_back({std::move(one), alone, alone});
    }
    for (const CauseKind kind : {CauseKind::worker, CauseKind::stage}) join_hidden(kind, all);
    for (Tried& one : all)
      (one.alone_s >= smallest * start_s_ ? open_ : behind_).push_back(std::move(one));
  }

  /// Two slow ranks hide each other: a step waits for the second as long as for both. Of ranks, or
  /// of stages, that recover more together than one by one, those that it takes are one candidate.
  void join_hidden(CauseKind kind, std::vector<Tried>& all) const {
    std::vector<const Tried*> members;
    double one_by_one = 0;
    for (const Tried& one : all) {
      if (one.candidate.kind != kind || one.candidate.aspect == Aspect::clock) continue;
      if (!is_slow(one.candidate)) continue;
      members.push_back(&one);
      one_by_one += one.now_s;
    }
    const double together = step_s_ - without(joined(members));
    if (together < smallest_behind * start_s_ || together < more_together * one_by_one) return;
    for (size_t i = members.size(); i-- > 0;) {  // those that save least first
      std::vector<const Tried*> others = members;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (step_s_ - without(joined(others)) >= (1 - needed) * together) members = others;
    }
    if (members.size() < 2) return;
    const double now_s = step_s_ - without(joined(members));
    const double alone_s = start_s_ - run(with(joined(members), start_).lengths);
    all.push_back({joined(members), std::max(alone_s, 0.0), now_s});
  }

  bool is_slow(const Candidate& one) const {
    double own = 0, cured = 0;
    for (const auto& [op, length] : one.cure) {
      own += in_seconds(now_.lengths[op]);
      cured += in_seconds(length);
    }
    return own > least_slowdown * cured;
  }

  /// Whether any names the tensor or context rank that is slow.
  static bool has_members(const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [](const std::string& name) {
      return name.find("tensor rank") != std::string::npos ||
             name.find("context rank") != std::string::npos;
    });
  }

  Candidate joined(const std::vector<const Tried*>& members) const {
    Candidate all;
    std::vector<std::string> names;
    for (const Tried* one : members) {
      const Candidate& candidate = one->candidate;
      all.kind = candidate.kind;
      all.aspect = candidate.aspect;
      if (std::ranges::find(names, candidate.who) == names.end()) names.push_back(candidate.who);
      std::ranges::copy(candidate.ranks, std::back_inserter(all.ranks));
      std::ranges::copy(candidate.cure, std::back_inserter(all.cure));
      std::ranges::copy(candidate.as_ideal, std::back_inserter(all.as_ideal));
    }
    const bool by_names =
        all.kind == CauseKind::stage || all.ranks.size() < members.size() || has_members(names);
    all.who =
        by_names ? fmt::format("{}", fmt::join(names, "; ")) : ranks_name(evidence_.job, all.ranks);
    all.of_devices =
        std::ranges::all_of(members, [](const Tried* one) { return one->candidate.of_devices; });
    if (all.kind == CauseKind::stage && !all.of_devices) all.ranks.clear();
    all.remedy = fmt::format(
        "{}: with one of them cured a step waits for the others",
        all.kind == CauseKind::stage && all.of_devices
            ? fmt::format("look at the devices of these {} stages together", members.size())
        : all.kind == CauseKind::stage
            ? fmt::format("give these {} stages fewer layers together", members.size())
            : fmt::format("look at these {} devices and their hosts together", members.size()));
    return all;
  }

  /// What recovers next to nothing now is another name of what is cured. Of ops that nothing cured
  /// yet it is a cause by itself, and what is left hides it.
  void set_aside() {
    const auto left_open = [&](const Tried& one) {
      return one.now_s >= left * one.alone_s && one.now_s >= smallest * start_s_;
    };
    const auto aside = std::ranges::stable_partition(open_, left_open);
    for (Tried& one : aside)
      if (is_untouched(one.candidate)) behind_.push_back(std::move(one));
    open_.erase(aside.begin(), aside.end());
  }

  /// Whether most of its ops are as they were measured.
  bool is_untouched(const Candidate& one) const {
    const auto untouched = std::ranges::count_if(
        one.cure, [&](const auto& cure) { return now_.aspects[cure.first] == 0; });
    return 2 * static_cast<size_t>(untouched) > one.cure.size();
  }

  /// What is cured may have hidden others, which may hide each other.
  void look_behind() {
    for (Tried& one : behind_) one.now_s = step_s_ - without(one.candidate);
    for (const CauseKind kind : {CauseKind::worker, CauseKind::stage}) join_hidden(kind, behind_);
    const auto shown = std::ranges::stable_partition(
        behind_, [&](const Tried& one) { return one.now_s < smallest_behind * start_s_; });
    std::ranges::move(shown, std::back_inserter(open_));
    behind_.erase(shown.begin(), shown.end());
  }

  /// What all peers have is looked at when none is slower than the others.
  bool waits(const Tried& one) const { return one.candidate.beyond_peers && evidence_.has_peers(); }

  std::vector<Tried>::iterator best() {
    const auto most = std::ranges::max_element(
        open_, {}, [&](const Tried& one) { return std::pair(!waits(one), one.now_s); });
    auto chosen = most;
    for (auto one = open_.begin(); one != open_.end(); ++one)
      if (waits(*one) == waits(*most) && one->now_s >= same * most->now_s &&
          one->candidate.cure.size() < chosen->candidate.cure.size())
        chosen = one;
    return chosen;
  }

  void take(std::vector<Tried>::iterator chosen) {
    const Candidate& one = chosen->candidate;
    const double by_share = one.as_ideal.empty() ? chosen->alone_s : start_s_ - fresh(one.as_ideal);
    const bool beyond_peers = one.beyond_peers || !evidence_.has_peers();
    causes_.push_back({.kind = one.kind,
                       .who = one.who,
                       .recovered_s = chosen->alone_s,
                       .attributed_s = chosen->now_s,
                       .beyond_peers = one.beyond_peers,
                       .share = share_of_excess(by_share, start_s_ - ideal_s_, beyond_peers),
                       .remedy = one.remedy,
                       .devices = devices_of(evidence_.job, one.ranks, !has_members({one.who})),
                       .of_devices = one.of_devices});
    if (chosen->alone_s > 0) add_spread(one, causes_.back());
    now_ = with(one, now_);
    step_s_ = run(now_.lengths);
    if (!waits(*chosen)) without_causes_s_ = step_s_;
    open_.erase(chosen);
  }

  /// Without all causes a step is as long as when the last of them was cured. Where peers show what
  /// is usual, what they all have is none of these.
  void tell_shares() {
    const double excess_s = start_s_ - without_causes_s_;
    if (excess_s <= 0) return;
    for (Cause& cause : causes_)
      if (!cause.beyond_peers || !evidence_.has_peers())
        cause.share_of_causes = std::min(cause.recovered_s / excess_s, 1.0);
  }

  /// What the cure alone brings in single steps.
  void add_spread(const Candidate& one, Cause& cause) const {
    if (const auto spread = spread_of_gain(step_times(evidence_.trace, start_.lengths),
                                           step_times(evidence_.trace, with(one, start_).lengths)))
      std::tie(cause.gain_p10_s, cause.gain_p90_s) = *spread;
  }

  /// The step if only these ops had other lengths than measured.
  double fresh(const Lengths& changed) const {
    std::vector<Time> lengths = evidence_.lengths;
    for (const auto& [op, length] : changed) lengths[op] = length;
    return run(lengths);
  }

  const Evidence& evidence_;
  Lockstep lockstep_;
  Cured start_, now_;
  double step_s_, start_s_, ideal_s_, without_causes_s_;
  std::vector<Tried> open_;
  std::vector<Tried> behind_;  ///< that recover nothing as long as others are not cured
  std::vector<Cause> causes_;
};

}  // namespace

void put_in_order(std::vector<Cause>& causes, Peers peers) {
  double most_of_all = 0;  // of what all peers have
  for (const Cause& one : causes)
    if (one.beyond_peers) most_of_all = std::max(most_of_all, one.recovered_s);
  const auto stands_behind = [&](const Cause& one) {
    const double gain = std::max(one.recovered_s, one.attributed_s);
    return peers == Peers::some && (one.beyond_peers || gain < error_of_gains * most_of_all);
  };
  std::ranges::stable_sort(causes, {}, [&](const Cause& one) {
    return std::tuple(one.kind == CauseKind::bubble, stands_behind(one), -one.recovered_s);
  });
}

std::vector<Cause> attribute(const Evidence& evidence, std::vector<Candidate> candidates) {
  return Attribution(evidence).run_all(std::move(candidates));
}

}  // namespace pipewright::diagnose
