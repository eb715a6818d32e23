#include <fmt/format.h>

#include <algorithm>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

/// Links and groups are looked at one by one only if they lose most of their kind.
constexpr size_t most_places = 12;

struct Place {
  std::string who;
  double lost_s = 0;
  Lengths cure;
};

/// The neighbouring stages between which a transfer goes, the earlier first.
std::string link_of(const MeasuredJob& job, const TracedOperation& one) {
  const bool to_next =
      one.kind == OperationKind::forward_send || one.kind == OperationKind::backward_recv;
  const int other = (one.stage + (to_next ? 1 : job.stages - 1)) % job.stages;
  const int first = to_next ? one.stage : other, second = to_next ? other : one.stage;
  return fmt::format("stages {} and {}, data rank {}", first, second, one.dp_rank);
}

std::string group_of(const TracedOperation& one) {
  return fmt::format("{}, stage {}", name_of(one.kind), one.stage);
}

std::vector<Candidate> candidates(std::map<std::string, Place>& places, Place all,
                                  const std::string& remedy) {
  std::vector<Place> worst;
  for (auto& [who, place] : places) worst.push_back(std::move(place));
  std::ranges::stable_sort(worst, std::greater{}, &Place::lost_s);
  if (worst.size() > most_places) worst.resize(most_places);
  worst.push_back(std::move(all));
  std::vector<Candidate> found;
  for (Place& place : worst)
    if (place.lost_s > 0)
      found.push_back({.kind = CauseKind::communication,
                       .who = place.who,
                       .remedy = remedy,
                       .cure = std::move(place.cure)});
  return found;
}

}  // namespace

std::vector<Candidate> slow_communication(const Evidence& evidence) {
  std::map<std::string, Place> links, groups;
  Place pipeline{.who = "pipeline messages"}, data{.who = "data collectives"};
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!communicates(one.kind)) return;
    const bool message = is_transfer(one.kind);
    const std::string who = message ? link_of(evidence.job, one) : group_of(one);
    Place& place = (message ? links : groups)[who];
    place.who = who;
    const double lost = in_seconds(evidence.lengths[body] - evidence.ideal[body]);
    for (Place* each : {&place, message ? &pipeline : &data}) {
      each->lost_s += lost;
      each->cure.push_back({body, evidence.ideal[body]});
    }
  });
  std::vector<Candidate> found = candidates(links, std::move(pipeline),
                                            "look at the links and NICs on this way: its messages "
                                            "take longer than the median of their kind");
  std::vector<Candidate> others = candidates(groups, std::move(data),
                                             "look at the links and NICs of this group: its "
                                             "collectives take longer than the median of their "
                                             "kind");
  std::ranges::move(others, std::back_inserter(found));
  return found;
}

}  // namespace pipewright::diagnose
