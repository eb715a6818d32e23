#include <fmt/format.h>

#include <algorithm>

#include "diagnose/candidates.hpp"
#include "diagnose/usual_messages.hpp"

namespace pipewright::diagnose {
namespace {

/// Links, ranks and groups are looked at one by one only if they lose most of their kind.
constexpr size_t most_places = 12;
/// So many times as long as on other links is more than messages of one kind vary.
constexpr double notable = 1.5;

struct Place {
  std::string who, remedy;
  double lost_s = 0;
  Lengths cure;
};

std::string link_name(std::pair<int, int> ends, int data) {
  return fmt::format("stages {} and {}, data rank {}", ends.first, ends.second, data);
}

std::string adapter_name(int stage, int data) {
  return fmt::format("messages of stage {}, data rank {}", stage, data);
}

std::string group_of(const TracedOperation& one) {
  return fmt::format("{}, stage {}", name_of(one.kind), one.stage);
}

std::vector<Candidate> candidates(std::map<std::string, Place>& places, Place all) {
  std::vector<Place> worst;
  for (auto& [who, place] : places) worst.push_back(std::move(place));
  std::ranges::stable_sort(worst, std::greater{}, &Place::lost_s);
  if (worst.size() > most_places) worst.resize(most_places);
  worst.push_back(std::move(all));
  std::vector<Candidate> found;
  for (Place& place : worst)
    if (place.lost_s > 0)
      found.push_back({.kind = CauseKind::communication,
                       .aspect = Aspect::message,
                       .who = place.who,
                       .remedy = place.remedy,
                       .cure = std::move(place.cure)});
  return found;
}

void cure(Place& place, const Evidence& evidence, OpId body, Time usual) {
  place.lost_s += in_seconds(evidence.lengths[body] - usual);
  place.cure.push_back({body, usual});
}

constexpr const char* slow_messages =
    "look at the links and NICs on this way: its messages take longer than the median of their "
    "kind";
constexpr const char* slow_collectives =
    "look at the links and NICs of this group: its collectives take longer than the median of "
    "their kind";

std::string remedy_of(double slowdown) {
  if (slowdown < notable) return slow_messages;
  return fmt::format(
      "look at the links and NICs on this way: its messages take {:.1f} times as long as those of "
      "other links. A link between nodes may be that much slower: then its ends belong on one node",
      slowdown);
}

class Messages {
 public:
  explicit Messages(const Evidence& evidence) : evidence_(evidence), usual_(evidence) {}

  void add(const TracedOperation& one, OpId body) {
    const Time usual = usual_.of(one, body);
    const std::pair<int, int> ends = ends_of(evidence_.job, one);
    const std::string name = link_name(ends, one.dp_rank);
    const auto [link, fresh] = links_.try_emplace(name, Place{.who = name});
    if (fresh) link->second.remedy = remedy_of(usual_.slowdown(ends, one.dp_rank));
    cure(link->second, evidence_, body, usual);
    for (const int stage : {ends.first, ends.second}) {
      const std::string adapter = adapter_name(stage, one.dp_rank);
      Place& place = adapters_.try_emplace(adapter, Place{adapter, slow_messages}).first->second;
      cure(place, evidence_, body, usual);
    }
    cure(all_, evidence_, body, usual);
  }

  std::vector<Candidate> finish() && {
    std::vector<Candidate> found = candidates(links_, std::move(all_));
    std::vector<Candidate> of_ranks = candidates(adapters_, {});
    std::ranges::move(of_ranks, std::back_inserter(found));
    return found;
  }

 private:
  const Evidence& evidence_;
  UsualMessages usual_;
  std::map<std::string, Place> links_, adapters_;
  Place all_{"pipeline messages", slow_messages};
};

}  // namespace

std::vector<Candidate> slow_communication(const Evidence& evidence) {
  Messages messages(evidence);
  std::map<std::string, Place> groups;
  Place data{"data collectives", slow_collectives};
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!communicates(one.kind)) return;
    if (is_transfer(one.kind)) return messages.add(one, body);
    const std::string group = group_of(one);
    Place& place = groups.try_emplace(group, Place{group, slow_collectives}).first->second;
    cure(place, evidence, body, evidence.ideal[body]);
    cure(data, evidence, body, evidence.ideal[body]);
  });
  std::vector<Candidate> found = std::move(messages).finish();
  std::vector<Candidate> others = candidates(groups, std::move(data));
  std::ranges::move(others, std::back_inserter(found));
  return found;
}

}  // namespace pipewright::diagnose
