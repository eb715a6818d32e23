#include "diagnose/slow_exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "diagnose/slow_parts.hpp"
#include "program/names.hpp"

namespace pipewright::diagnose {
namespace {

/// Those of TracedOperation::exchanges whose groups are of one data rank.
constexpr std::array<Traffic, 2> kinds = {Traffic::tensor, Traffic::context};

using Place = std::pair<int32_t, int32_t>;  // data rank, stage
/// Kind of exchange, direction and chunk of the pass.
using Exchange = std::tuple<size_t, OperationKind, int32_t>;
class Exchanges {
 public:
  explicit Exchanges(const Evidence& evidence) : evidence_(evidence) {
    std::map<Exchange, std::map<Place, std::pair<std::vector<double>, std::vector<double>>>> times;
    for_each_pass([&](const TracedOperation& one, OpId body) {
      for (size_t i = 0; i < kinds.size(); ++i) {
        auto& [exchanges, computes] = times[{i, one.kind, one.chunk}][{one.dp_rank, one.stage}];
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
    std::map<std::string, SlowPart> slow;
    for (auto& [which, group] : groups_)
      if (group.own_s > notable_part * group.elsewhere_s)
        slow[group.part.who] = std::move(group.part);
    return slow_parts(slow, {}, Aspect::exchange);
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
    double exchange_s = 0, here_s = 0;
  };

  template <class Visit>
  void for_each_pass(Visit visit) const {
    evidence_.for_each([&](const TracedOperation& one, OpId body) {
      if (computes(one.kind)) visit(one, body);
    });
  }

  /// What the exchange would take at `place` if its links were those of `other`, in seconds. A pass
  /// that computes longer may hide as much more of what it exchanges. And while a pass waits for a
  /// slow link its host runs ahead: with a usual one it waits for its host as others do.
  static double usual_at(const Usual& place, const Usual& other) {
    return other.exchange_s + std::max(other.compute_s - place.compute_s, 0.0);
  }

  /// The medians of the other groups of the stage or, where there are none, of those of other
  /// stages.
  std::optional<Others> others_of(const Exchange& exchange, const Place& place) const {
    const auto& places = medians_.at(exchange);
    std::array<std::vector<double>, 2> same, other;  // elsewhere and here
    for (const auto& [where, usual] : places) {
      if (where == place) continue;
      auto& peers = where.second == place.second ? same : other;
      peers[0].push_back(usual.exchange_s);
      peers[1].push_back(usual_at(places.at(place), usual));
    }
    auto& peers = same[0].empty() ? other : same;
    if (peers[0].empty()) return std::nullopt;
    return Others{median_of(std::move(peers[0])), median_of(std::move(peers[1]))};
  }

  void add(size_t kind, const TracedOperation& one, OpId body) {
    const Place place{one.dp_rank, one.stage};
    const auto others = others_of({kind, one.kind, one.chunk}, place);
    if (!others) return;
    Group& group = groups_[{kind, place}];
    if (group.part.who.empty()) name(kind, place, group.part);
    const double own_s = in_seconds(one.exchanges[kind]);
    group.own_s += own_s;
    group.elsewhere_s += others->exchange_s;
    if (own_s <= others->here_s) return;
    const Time longer = seconds(own_s - others->here_s);
    group.part.add(evidence_, body, std::max(evidence_.lengths[body] - longer, Time{}));
  }

  void name(size_t kind, const Place& place, SlowPart& part) const {
    const std::string ranks = ranks_name(evidence_.job, {place});
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
