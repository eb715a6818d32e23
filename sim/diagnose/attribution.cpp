#include "diagnose/attribution.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "diagnose/cause_order.hpp"
#include "diagnose/cures.hpp"
#include "diagnose/joined_candidates.hpp"

namespace pipewright::diagnose {
namespace {

constexpr double same = 0.85;  // of the best: may be another name of it
constexpr double left = 0.2;   // of what it recovers by itself: it was another name
constexpr size_t most_candidates = 32;

struct Taken {
  Cause cause;
  Candidate candidate;
};

class Attribution {
 public:
  explicit Attribution(const Evidence& evidence)
      : evidence_(evidence),
        cures_(evidence),
        now_(cures_.none()),
        start_s_(now_.step_s),
        ideal_s_(cures_.step_s(evidence.ideal)),
        without_causes_s_(start_s_) {}

  std::vector<Cause> run_all(std::vector<Candidate> candidates) {
    start(std::move(candidates));
    while (!open_.empty()) {
      take(best());
      try_again(open_);
      set_aside();
      look_behind();
    }
    std::vector<Cause> causes = attributed_in_order();
    tell_shares(causes);
    return causes;
  }

 private:
  /// What this recovers besides what is cured, in seconds.
  double recovered_s(const Candidate& one) const {
    return now_.step_s - cures_.with(one, now_).step_s;
  }

  void try_again(std::vector<Tried>& all) const {
    for (Tried& one : all) one.now_s = recovered_s(one.candidate);
  }

  void join_all_hidden(std::vector<Tried>& all) const {
    for (const CauseKind kind : {CauseKind::worker, CauseKind::stage})
      join_hidden(evidence_.job, cures_, now_, kind, all);
  }

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
      const double alone_s = std::max(recovered_s(one), 0.0);
      all.push_back({std::move(one), alone_s, alone_s});
    }
    join_all_hidden(all);
    for (Tried& one : all)
      (one.alone_s >= smallest_cause * start_s_ ? open_ : behind_).push_back(std::move(one));
  }

  /// What recovers next to nothing now is another name of what is cured. Of ops that nothing cured
  /// yet it is a cause by itself, and what is left hides it.
  void set_aside() {
    const auto left_open = [&](const Tried& one) {
      return one.now_s >= left * one.alone_s && one.now_s >= smallest_cause * start_s_;
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
    try_again(behind_);
    join_all_hidden(behind_);
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
    taken_.push_back({cause_of(*chosen), chosen->candidate});
    now_ = cures_.with(chosen->candidate, now_);
    if (!waits(*chosen)) without_causes_s_ = now_.step_s;
    open_.erase(chosen);
  }

  Cause cause_of(const Tried& chosen) const {
    const Candidate& one = chosen.candidate;
    const double by_share = one.as_ideal.empty() ? chosen.alone_s : start_s_ - fresh(one.as_ideal);
    const bool beyond_peers = one.beyond_peers || !evidence_.has_peers();
    Cause cause{.kind = one.kind,
                .who = one.who,
                .recovered_s = chosen.alone_s,
                .beyond_peers = one.beyond_peers,
                .share = share_of_excess(by_share, start_s_ - ideal_s_, beyond_peers),
                .remedy = one.remedy,
                .devices = devices_of(evidence_.job, one.ranks, !has_member(one.who)),
                .of_devices = one.of_devices};
    if (chosen.alone_s > 0) add_spread(one, cause);
    return cause;
  }

  /// Cures one cause after the other, as they are told.
  std::vector<Cause> attributed_in_order() {
    const Peers peers = peers_in(evidence_.job);
    std::ranges::stable_sort(taken_, [&](const Taken& one, const Taken& other) {
      return comes_before(one.cause, other.cause, peers);
    });
    std::vector<Cause> causes;
    Cured left = cures_.none();
    for (Taken& one : taken_) {
      Cured next = cures_.with(one.candidate, left);
      one.cause.attributed_s = left.step_s - next.step_s;
      causes.push_back(std::move(one.cause));
      left = std::move(next);
    }
    return causes;
  }

  /// Without all causes a step is as long as when the last of them was cured. Where peers show what
  /// is usual, what they all have is none of these.
  void tell_shares(std::vector<Cause>& causes) const {
    const double excess_s = start_s_ - without_causes_s_;
    if (excess_s <= 0) return;
    for (Cause& cause : causes)
      if (!cause.beyond_peers || !evidence_.has_peers())
        cause.share_of_causes = std::min(cause.recovered_s / excess_s, 1.0);
  }

  /// What the cure alone brings in single steps.
  void add_spread(const Candidate& one, Cause& cause) const {
    const Cured& none = cures_.none();
    if (const auto spread =
            spread_of_gain(step_times(evidence_.trace, none.lengths),
                           step_times(evidence_.trace, cures_.with(one, none).lengths)))
      std::tie(cause.gain_p10_s, cause.gain_p90_s) = *spread;
  }

  /// The step if only these ops had other lengths than measured.
  double fresh(const Lengths& changed) const {
    std::vector<Time> lengths = evidence_.lengths;
    for (const auto& [op, length] : changed) lengths[op] = length;
    return cures_.step_s(lengths);
  }

  const Evidence& evidence_;
  Cures cures_;
  Cured now_;
  double start_s_, ideal_s_, without_causes_s_;
  std::vector<Tried> open_;
  std::vector<Tried> behind_;  ///< that recover nothing as long as others are not cured
  std::vector<Taken> taken_;
};

}  // namespace

std::vector<Cause> attribute(const Evidence& evidence, std::vector<Candidate> candidates) {
  return Attribution(evidence).run_all(std::move(candidates));
}

}  // namespace pipewright::diagnose
