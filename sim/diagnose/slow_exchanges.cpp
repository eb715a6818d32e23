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

/// Who computes so many times as long hides more of what it exchanges, and is compared with nobody.
constexpr double as_long = 1.02;

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
      if (group.own_s > notable_part * group.usual_s) slow[group.part.who] = std::move(group.part);
    return slow_parts(slow, {}, Aspect::exchange);
  }

 private:
  struct Usual {
    double exchange_s = 0, compute_s = 0;
  };
  struct Group {
    SlowPart part;
    double own_s = 0, usual_s = 0;
  };

  template <class Visit>
  void for_each_pass(Visit visit) const {
    evidence_.for_each([&](const TracedOperation& one, OpId body) {
      if (computes(one.kind)) visit(one, body);
    });
  }

  /// The median of the other groups of the stage or, where there are none, of those of other
  /// stages.
  std::optional<double> usual_of(const Exchange& exchange, const Place& place) const {
    std::vector<double> same, other;
    const auto& places = medians_.at(exchange);
    const double most_s = as_long * places.at(place).compute_s;
    for (const auto& [where, usual] : places)
      if (where != place && usual.compute_s <= most_s)
        (where.second == place.second ? same : other).push_back(usual.exchange_s);
    if (same.empty() && other.empty()) return std::nullopt;
    return median_of(std::move(same.empty() ? other : same));
  }

  void add(size_t kind, const TracedOperation& one, OpId body) {
    const Place place{one.dp_rank, one.stage};
    const auto usual_s = usual_of({kind, one.kind, one.chunk}, place);
    if (!usual_s) return;
    Group& group = groups_[{kind, place}];
    if (group.part.who.empty()) name(kind, place, group.part);
    const double own_s = in_seconds(one.exchanges[kind]);
    group.own_s += own_s;
    group.usual_s += *usual_s;
    if (own_s <= *usual_s) return;
    const Time longer = seconds(own_s - *usual_s);
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
