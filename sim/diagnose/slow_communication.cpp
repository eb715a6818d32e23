#include <fmt/format.h>

#include <algorithm>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

/// Links, ranks and groups are looked at one by one only if they lose most of their kind.
constexpr size_t most_places = 12;

struct Place {
  std::string who;
  double lost_s = 0;
  Lengths cure;
};

/// The neighbouring ranks of a pipeline between which a transfer goes, that of the earlier stage of
/// the model first. Without a placement chunks go around.
std::pair<int, int> ends_of(const MeasuredJob& job, const TracedOperation& one) {
  const bool to_next =
      one.kind == OperationKind::forward_send || one.kind == OperationKind::backward_recv;
  int other = (one.stage + (to_next ? 1 : job.stages - 1)) % job.stages;
  if (!job.placement.empty() && one.chunk >= 0) {
    const int holder = job.holder_of(job.model_stage(one) + (to_next ? 1 : -1), one.stage);
    if (holder >= 0) other = holder;
  }
  return to_next ? std::pair(one.stage, other) : std::pair(other, one.stage);
}

std::string link_name(std::pair<int, int> ends, int data) {
  return fmt::format("stages {} and {}, data rank {}", ends.first, ends.second, data);
}

std::string adapter_name(int stage, int data) {
  return fmt::format("messages of stage {}, data rank {}", stage, data);
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
  std::map<std::string, Place> links, adapters, groups;
  Place pipeline{.who = "pipeline messages"}, data{.who = "data collectives"};
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!communicates(one.kind)) return;
    const double lost = in_seconds(evidence.lengths[body] - evidence.ideal[body]);
    const auto add = [&](Place& place, const std::string& who) {
      place.who = who;
      place.lost_s += lost;
      place.cure.push_back({body, evidence.ideal[body]});
    };
    if (!is_transfer(one.kind)) {
      add(groups[group_of(one)], group_of(one));
      return add(data, data.who);
    }
    const std::pair<int, int> ends = ends_of(evidence.job, one);
    const std::string link = link_name(ends, one.dp_rank);
    add(links[link], link);
    for (const int stage : {ends.first, ends.second}) {
      const std::string adapter = adapter_name(stage, one.dp_rank);
      add(adapters[adapter], adapter);
    }
    add(pipeline, pipeline.who);
  });
  const char* const slow_messages =
      "look at the links and NICs on this way: its messages take longer than the median of their "
      "kind";
  std::vector<Candidate> found = candidates(links, std::move(pipeline), slow_messages);
  std::vector<Candidate> of_ranks = candidates(adapters, {}, slow_messages);
  std::ranges::move(of_ranks, std::back_inserter(found));
  std::vector<Candidate> others = candidates(groups, std::move(data),
                                             "look at the links and NICs of this group: its "
                                             "collectives take longer than the median of their "
                                             "kind");
  std::ranges::move(others, std::back_inserter(found));
  return found;
}

}  // namespace pipewright::diagnose
