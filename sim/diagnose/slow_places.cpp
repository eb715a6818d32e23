#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

/// Of ranks and of stages, how many are tried at most: no more can be among the largest causes.
constexpr size_t most_slow_places = 16;
/// No pipeline has more; of as many each is compared with all others.
constexpr int most_stages = 4096;

/// Passes that are compared: of one direction and chunk.
using PassKind = std::pair<OperationKind, int32_t>;
using ByPass = std::map<PassKind, double>;

/// Updates are compared between the ranks of a stage, and between stages by the byte of gradients.
bool is_compared(OperationKind kind) { return computes(kind) || kind == OperationKind::optimizer; }

/// The median length of each kind of pass, by rank.
std::vector<ByPass> median_passes(const Evidence& evidence) {
  std::vector<std::map<PassKind, std::vector<double>>> all(
      static_cast<size_t>(evidence.job.ranks()));
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (is_compared(one.kind))
      all[static_cast<size_t>(evidence.job.rank_of(one))][{one.kind, one.chunk}].push_back(
          evidence.own(one, body));
  });
  std::vector<ByPass> medians(all.size());
  for (size_t rank = 0; rank < all.size(); ++rank)
    for (auto& [pass, times] : all[rank]) medians[rank][pass] = median_of(std::move(times));
  return medians;
}

/// How many times as long passes take; 1 where they are no slower or nobody compares.
double factor_of(double own, const std::vector<double>& peers) {
  if (peers.empty()) return 1;
  const double usual = median_of(peers);
  return usual > 0 ? std::max(1.0, own / usual) : 1;
}

class Places {
 public:
  explicit Places(const Evidence& evidence)
      : evidence_(evidence), job_(evidence.job), medians_(median_passes(evidence)) {
    for (const SlowMember& one : job_.slow_members) cure_member(one);
  }

  std::vector<Candidate> run() {
    for (const auto& [rank, factors] : slowest(job_.ranks(), [&](int r) { return of_worker(r); }))
      add_worker(rank, factors);
    for (const auto& [stage, factors] : slowest(job_.stages, [&](int s) { return of_stage(s); }))
      add_stage(stage, factors);
    return std::move(found_);
  }

 private:
  /// The places that are slow, those that are slowest first and no more than can matter.
  template <class FactorsOf>
  static std::vector<std::pair<int, ByPass>> slowest(int count, FactorsOf factors_of) {
    std::vector<std::pair<int, ByPass>> places;
    for (int place = 0; place < count; ++place)
      if (ByPass factors = factors_of(place); largest(factors) > 1)
        places.emplace_back(place, std::move(factors));
    std::ranges::stable_sort(places, std::greater{},
                             [](const auto& one) { return largest(one.second); });
    if (places.size() > most_slow_places) places.resize(most_slow_places);
    return places;
  }

  /// A rank that is slow within its tensor or context group is held against others without that.
  void cure_member(const SlowMember& one) {
    const int rank = one.data * job_.stages + one.stage;
    if (one.data >= job_.data || one.stage >= job_.stages) return;
    members_[rank] = &one;
    for (auto& [pass, time] : medians_[static_cast<size_t>(rank)])
      time /= slowdown_of(one, pass.first);
  }

  static double slowdown_of(const SlowMember& one, OperationKind kind) {
    return computes(kind) ? one.slowdown : one.of_updates;
  }

  /// Of many ranks, the median without one of them is that of all.
  ByPass of_worker(int rank) {
    ByPass factors;
    const int stage = rank % job_.stages;
    for (const auto& [pass, own] : medians_[static_cast<size_t>(rank)]) {
      const std::vector<double>& all = of_stage_and_pass(stage, pass);
      std::vector<double> others = all.size() > many ? std::vector{usual_of(stage, pass)} : all;
      if (all.size() <= many) others.erase(std::ranges::find(others, own));
      factors[pass] = factor_of(own, others);
      if (const auto member = members_.find(rank); member != members_.end())
        factors[pass] *= slowdown_of(*member->second, pass.first);
    }
    return factors;
  }

  const std::vector<double>& of_stage_and_pass(int stage, const PassKind& pass) {
    const auto [found, fresh] = by_stage_.try_emplace({stage, pass});
    for (int rank = stage; fresh && rank < job_.ranks(); rank += job_.stages) {
      const ByPass& own = medians_[static_cast<size_t>(rank)];
      if (const auto time = own.find(pass); time != own.end())
        found->second.push_back(time->second);
    }
    return found->second;
  }

  /// The median of a stage.
  double usual_of(int stage, const PassKind& pass) {
    const auto [found, fresh] = usual_.try_emplace({stage, pass});
    if (fresh) found->second = median_of(of_stage_and_pass(stage, pass));
    return found->second;
  }

  void add_worker(int rank, const ByPass& factors) {
    Candidate candidate =
        cured(factors, [=, this](const TracedOperation& one) { return job_.rank_of(one) == rank; });
    candidate.kind = CauseKind::worker;
    candidate.ranks = {{rank / job_.stages, rank % job_.stages}};
    candidate.who = ranks_name(job_, candidate.ranks);
    const auto member = members_.find(rank);
    if (member != members_.end()) candidate.who += ", " + member->second->name;
    // Updates are short: they are named where passes are as long as elsewhere.
    const auto most = std::ranges::max_element(factors, {}, [](const auto& one) {
      return std::pair(one.second > 1 && computes(one.first.first), one.second);
    });
    candidate.remedy = fmt::format(
        "look at this device and its host: its {} take {:.2f} times as long as those of {}",
        computes(most->first.first) ? "passes" : "updates", most->second,
        member == members_.end() ? "the same stage elsewhere" : "the others of its group");
    found_.push_back(std::move(candidate));
  }

  enum class Compared : uint8_t { passes, updates };

  /// A trace may lack ranks of a stage.
  std::set<PassKind> passes_of_stage(int stage, Compared compared) const {
    std::set<PassKind> passes;
    for (int rank = stage; rank < job_.ranks(); rank += job_.stages)
      for (const auto& [pass, ignored] : medians_[static_cast<size_t>(rank)])
        if (computes(pass.first) == (compared == Compared::passes)) passes.insert(pass);
    return passes;
  }

  /// A stage is as slow as its fastest rank.
  ByPass of_stage(int stage) {
    ByPass factors;
    for (const PassKind& pass : passes_of_stage(stage, Compared::passes))
      factors[pass] = factor_of_stage(stage, pass);
    return factors;
  }

  double factor_of_stage(int stage, const PassKind& pass) {
    std::vector<double> others;
    for (int other = 0; other < job_.stages && job_.stages <= most_stages; ++other)
      if (other != stage && !of_stage_and_pass(other, pass).empty())
        others.push_back(usual_of(other, pass));
    return factor_of(*std::ranges::min_element(of_stage_and_pass(stage, pass)), others);
  }

  /// The updates of slow devices are slow, too, and so are those of many layers.
  void add_stage(int stage, ByPass factors) {
    const double slowdown = largest(factors), of_updates = slowdown_of_updates(stage);
    const bool of_devices = of_updates * of_updates > slowdown;
    for (const PassKind& update : passes_of_stage(stage, Compared::updates))
      factors[update] = of_devices ? of_updates : factor_of_stage(stage, update);
    Candidate candidate =
        cured(factors, [=](const TracedOperation& one) { return one.stage == stage; });
    candidate.kind = CauseKind::stage;
    candidate.aspect = Aspect::stage;
    candidate.who = fmt::format("stage {}", stage);
    candidate.of_devices = of_devices;
    if (of_devices) {
      for (int data = 0; data < job_.data; ++data) candidate.ranks.emplace_back(data, stage);
      candidate.remedy = fmt::format(
          "look at the devices of stage {}: its passes take {:.2f} times as long as those of other "
          "stages and its updates, of as many gradients, {:.2f} times, so it is not its layers",
          stage, slowdown, of_updates);
    } else {
      candidate.remedy = fmt::format(
          "give stage {} fewer layers: its passes take {:.2f} times as long as those of other "
          "stages",
          stage, slowdown);
    }
    found_.push_back(std::move(candidate));
  }

  /// How long its updates take for each byte of gradients that its data ranks sum; 0: not known.
  double update_of_a_byte(int stage) {
    double updates = 0;  // of the fastest rank the longest
    for (int rank = stage; rank < job_.ranks(); rank += job_.stages) {
      double longest = 0;
      for (const auto& [pass, time] : medians_[static_cast<size_t>(rank)])
        if (pass.first == OperationKind::optimizer) longest = std::max(longest, time);
      if (longest > 0) updates = updates > 0 ? std::min(updates, longest) : longest;
    }
    int64_t bytes = 0;
    for (int data = 0; data < job_.data; ++data)
      bytes = std::max(bytes, job_.facts_of(data, stage).gradient_bytes);
    return bytes > 0 ? updates / static_cast<double>(bytes) : 0;
  }

  /// Layers that are many have as many gradients, whose updates take longer. Updates that take
  /// longer for as many gradients are of slow devices. 1 where it cannot be told.
  double slowdown_of_updates(int stage) {
    std::vector<double> others;
    for (int other = 0; other < job_.stages && job_.stages <= most_stages; ++other)
      if (const double time = update_of_a_byte(other); other != stage && time > 0)
        others.push_back(time);
    const double own = update_of_a_byte(stage);
    return own > 0 ? factor_of(own, others) : 1;
  }

  static double largest(const ByPass& factors) {
    double most = 1;
    for (const auto& [pass, factor] : factors) most = std::max(most, factor);
    return most;
  }

  template <class Predicate>
  Candidate cured(const ByPass& factors, Predicate is_its) const {
    Candidate candidate;
    evidence_.for_each([&](const TracedOperation& one, OpId body) {
      if (!is_its(one)) return;
      candidate.as_ideal.push_back({body, evidence_.ideal[body]});
      const auto found = factors.find({one.kind, one.chunk});
      if (!is_compared(one.kind) || found == factors.end() || found->second == 1) return;
      const Time waits = evidence_.lengths[body] - evidence_.own_length(one, body);
      const auto own = static_cast<double>(evidence_.own_length(one, body).ps);
      candidate.cure.push_back({body, Time{std::llround(own / found->second)} + waits});
    });
    return candidate;
  }

  const Evidence& evidence_;
  const MeasuredJob& job_;
  std::vector<ByPass> medians_;
  std::map<int, const SlowMember*> members_;  ///< by rank
  std::map<std::pair<int, PassKind>, std::vector<double>> by_stage_;
  std::map<std::pair<int, PassKind>, double> usual_;
  std::vector<Candidate> found_;
};

}  // namespace

double median_of(std::vector<double> values) {
  const size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half));
  if (values.size() % 2 == 1) return values[half];
  const double below =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half));
  return (below + values[half]) / 2;
}

std::vector<Candidate> slow_places(const Evidence& evidence) { return Places(evidence).run(); }

}  // namespace pipewright::diagnose
