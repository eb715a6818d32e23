#include "diagnose/slow_exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <tuple>

#include "diagnose/slow_parts.hpp"
#include "program/names.hpp"

namespace pipewright::diagnose {
namespace {

/// Those of TracedOperation::exchanges.
constexpr std::array<Traffic, 3> kinds = {Traffic::tensor, Traffic::context, Traffic::expert};

/// So many data ranks that follow one another are of one group.
int data_ranks_of(Traffic kind, const MeasuredJob& job) {
  return kind == Traffic::expert ? job.expert_ranks : 1;
}

Aspect aspect_of(Traffic kind) {
  return kind == Traffic::expert ? Aspect::tokens : Aspect::exchange;
}

using Place = std::pair<int32_t, int32_t>;  // group of data ranks, stage
/// Kind of exchange, direction and chunk of the pass.
using Exchange = std::tuple<size_t, OperationKind, int32_t>;
class Exchanges {
 public:
  explicit Exchanges(const Evidence& evidence) : evidence_(evidence) {
    std::map<Exchange, std::map<Place, std::pair<std::vector<double>, std::vector<double>>>> times;
    for_each_pass([&](const TracedOperation& one, OpId body) {
      for (size_t i = 0; i < kinds.size(); ++i) {
        auto& [exchanges, computes] = times[{i, one.kind, one.chunk}][place_of(i, one)];
        exchanges.push_back(in_seconds(one.exchanges[i]));
        computes.push_back(evidence.own(one, body));
      }
    });
    for (auto& [exchange, places] : times)
      for (auto& [place, all] : places)
        medians_[exchange][place] = {median_of(std::move(all.first)),
                                     median_of(std::move(all.second))};
  }

  std::vector<Candidate> run() {
    for_each_pass([&](const TracedOperation& one, OpId body) {
      for (size_t i = 0; i < kinds.size(); ++i) add(i, one, body);
    });
    std::vector<Candidate> found;
    for (size_t kind = 0; kind < kinds.size(); ++kind)
      std::ranges::move(slow_of(kind), std::back_inserter(found));
    return found;
  }

 private:
  struct Usual {
    double exchange_s = 0, compute_s = 0;
  };
  struct Group {
    SlowPart part;
    double own_s = 0, elsewhere_s = 0;
  };
  /// What an exchange takes elsewhere, and what it would take here with such links.
  struct Others {
    double exchange_s = 0, here_s = 0, compute_s = 0;

    /// Whether they exchange far more for what they compute than `others` do.
    bool are_slow(const Others& others) const {
      return others.exchange_s > 0 &&
             exchange_s * others.compute_s > notable_part * others.exchange_s * compute_s;
    }
  };

  /// The slow groups of a kind, and all of them together: a step waits for each.
  std::vector<Candidate> slow_of(size_t kind) {
    std::map<std::string, SlowPart> slow;
    SlowPart all;
    RankPlaces members;
    for (auto& [which, group] : groups_) {
      if (which.first != kind || group.own_s <= notable_part * group.elsewhere_s) continue;
      std::ranges::copy(members_of(kind, which.second), std::back_inserter(members));
      all.lost_s += group.part.lost_s;
      std::ranges::copy(group.part.cure, std::back_inserter(all.cure));
      slow[group.part.who] = std::move(group.part);
    }
    if (slow.size() < 2)
      all = {};
    else
      name(kind, members, all);
    return slow_parts(slow, std::move(all), aspect_of(kinds[kind]));
  }

  template <class Visit>
  void for_each_pass(Visit visit) const {
    evidence_.for_each([&](const TracedOperation& one, OpId body) {
      if (computes(one.kind)) visit(one, body);
    });
  }

  Place place_of(size_t kind, const TracedOperation& one) const {
    return {one.dp_rank / data_ranks_of(kinds[kind], evidence_.job), one.stage};
  }

  /// What the exchange would take at `place` if its links were those of `other`, in seconds. A pass
  /// that computes longer may hide as much more of what it exchanges. And while a pass waits for a
  /// slow link its host runs ahead: with a usual one it waits for its host as others do.
  static double usual_at(const Usual& place, const Usual& other) {
    return other.exchange_s + std::max(other.compute_s - place.compute_s, 0.0);
  }

  using Peers = std::array<std::vector<double>, 3>;  // exchanges elsewhere and here, and compute

  static Others others_among(const Peers& peers) {
    return {median_of(peers[0]), median_of(peers[1]), median_of(peers[2])};
  }

  /// Whether there are such groups, and none of `others` shows that they are slow themselves.
  static bool shows_usual(const Peers& of_stage, const Peers& others) {
    if (of_stage[0].empty() || others[0].empty()) return others[0].empty();
    return !others_among(of_stage).are_slow(others_among(others));
  }

  /// The medians of the other groups of the stage. Where there are none, or where these are as
  /// slow, those of other stages.
  std::optional<Others> others_of(const Exchange& exchange, const Place& place) const {
    const auto& places = medians_.at(exchange);
    Peers of_stage, of_others;
    for (const auto& [where, usual] : places) {
      if (where == place) continue;
      Peers& peers = where.second == place.second ? of_stage : of_others;
      peers[0].push_back(usual.exchange_s);
      peers[1].push_back(usual_at(places.at(place), usual));
      peers[2].push_back(usual.compute_s);
    }
    const Peers& peers = shows_usual(of_stage, of_others) ? of_stage : of_others;
    if (peers[0].empty()) return std::nullopt;
    return others_among(peers);
  }

  void add(size_t kind, const TracedOperation& one, OpId body) {
    const Place place = place_of(kind, one);
    const auto others = others_of({kind, one.kind, one.chunk}, place);
    if (!others) return;
    Group& group = groups_[{kind, place}];
    if (group.part.who.empty()) name(kind, members_of(kind, place), group.part);
    const double own_s = in_seconds(one.exchanges[kind]);
    group.own_s += own_s;
    group.elsewhere_s += others->exchange_s;
    if (own_s <= others->here_s) return;
    const Time longer = seconds(own_s - others->here_s);
    group.part.add(evidence_, body, std::max(evidence_.lengths[body] - longer, Time{}));
  }

  RankPlaces members_of(size_t kind, const Place& place) const {
    const int count = data_ranks_of(kinds[kind], evidence_.job), first = place.first * count;
    RankPlaces members;
    for (int data = first; data < std::min(first + count, evidence_.job.data); ++data)
      members.push_back({data, place.second});
    return members;
  }

  void name(size_t kind, const RankPlaces& members, SlowPart& part) const {
    const std::string ranks = ranks_name(evidence_.job, members);
    const std::string traffic = to_string(kinds[kind]);
    part.who = fmt::format("{} exchanges of {}", traffic, ranks);
    part.remedy = fmt::format(
        "look at the links and NICs between the {} ranks of {}: what these exchange takes longer "
        "than elsewhere",
        traffic, ranks);
  }

  const Evidence& evidence_;
  std::map<Exchange, std::map<Place, Usual>> medians_;
  std::map<std::pair<size_t, Place>, Group> groups_;
};

}  // namespace

std::vector<Candidate> slow_exchanges(const Evidence& evidence) {
  return Exchanges(evidence).run();
}

}  // namespace pipewright::diagnose
