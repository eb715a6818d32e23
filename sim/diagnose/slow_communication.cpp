#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "diagnose/candidates.hpp"
#include "diagnose/device_work.hpp"
#include "diagnose/lockstep.hpp"
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

/// The same link of all data ranks.
std::string stages_name(std::pair<int, int> ends) {
  return fmt::format("stages {} and {}", ends.first, ends.second);
}

std::string rank_name(int stage, int data) {
  return fmt::format("stage {}, data rank {}", stage, data);
}

std::string adapter_name(int stage, int data) { return "messages of " + rank_name(stage, data); }

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

/// `way`: "between stages 1 and 2, data rank 0".
std::string slow_messages(const std::string& way) {
  return fmt::format(
      "look at the links and NICs {}: its messages take longer than the median of their kind", way);
}

std::string slow_collectives(const std::string& group) {
  return fmt::format(
      "look at the links and NICs between the data ranks of {}: its collectives take longer than "
      "the median of their kind",
      group);
}

std::string between(const std::string& link) { return "between " + link; }

std::string remedy_of(const std::string& link, double slowdown) {
  if (slowdown < notable) return slow_messages(between(link));
  return fmt::format(
      "look at the links and NICs {}: its messages take {:.1f} times as long as those of other "
      "links. A link between nodes may be that much slower: then its ends belong on one node",
      between(link), slowdown);
}

class Messages {
 public:
  explicit Messages(const Evidence& evidence) : evidence_(evidence), usual_(evidence) {}

  void add(const TracedOperation& one, OpId body) {
    const Time usual = usual_.of(one, body);
    const std::pair<int, int> ends = ends_of(evidence_.job, one);
    const std::string name = link_name(ends, one.dp_rank);
    const auto [link, fresh] = links_.try_emplace(name, Place{.who = name});
    if (fresh) link->second.remedy = remedy_of(name, usual_.slowdown(ends, one.dp_rank));
    cure(link->second, evidence_, body, usual);
    const std::string stages = stages_name(ends);
    const auto [all, unseen] = stages_.try_emplace(stages, Place{.who = stages});
    if (unseen) all->second.remedy = remedy_of(stages, usual_.slowdown(ends, one.dp_rank));
    cure(all->second, evidence_, body, usual);
    for (const int stage : {ends.first, ends.second}) {
      const std::string adapter = adapter_name(stage, one.dp_rank);
      const auto [place, unknown] = adapters_.try_emplace(adapter, Place{.who = adapter});
      if (unknown) place->second.remedy = slow_messages("of " + rank_name(stage, one.dp_rank));
      cure(place->second, evidence_, body, usual);
    }
    cure(all_, evidence_, body, usual);
  }

  std::vector<Candidate> finish() && {
    name_slowest();
    std::vector<Candidate> found = candidates(links_, std::move(all_));
    if (evidence_.job.data == 1) stages_.clear();
    for (std::map<std::string, Place>* places : {&stages_, &adapters_}) {
      std::vector<Candidate> others = candidates(*places, {});
      std::ranges::move(others, std::back_inserter(found));
    }
    return found;
  }

 private:
  /// The messages of all links: the one that loses most is where to begin.
  void name_slowest() {
    const auto worst =
        std::ranges::max_element(links_, {}, [](const auto& link) { return link.second.lost_s; });
    if (worst != links_.end())
      all_.remedy = slow_messages("between stages, first of all those " + between(worst->first));
  }

  const Evidence& evidence_;
  UsualMessages usual_;
  std::map<std::string, Place> links_, stages_, adapters_;
  Place all_{.who = "pipeline messages"};
};

/// The collectives of data ranks.
class Collectives {
 public:
  explicit Collectives(const Evidence& evidence) : evidence_(evidence) {}

  void add(const TracedOperation& one, OpId body) {
    const Time usual = evidence_.ideal[body];
    const std::string group = group_of(one);
    const auto [place, fresh] = groups_.try_emplace(group, Place{.who = group});
    if (fresh) place->second.remedy = slow_collectives(fmt::format("stage {}", one.stage));
    cure(place->second, evidence_, body, usual);
    cure(all_, evidence_, body, usual);
    if (one.bytes == 0) return;  // nobody knows whether those of other stages are like it
    Stage& stage = stages_[one.stage];
    stage.own_s += in_seconds(evidence_.lengths[body]);
    stage.usual_s += in_seconds(usual);
    if (usual > Time{}) stage.seen_s += in_seconds(evidence_.lengths[body]);
    cure(stage.place, evidence_, body, usual);
  }

  std::vector<Candidate> finish() && {
    std::map<std::string, Place> slow;
    if (Place place = slow_stages(); !place.who.empty()) slow[place.who] = std::move(place);
    std::vector<Candidate> found = candidates(groups_, std::move(all_));
    std::vector<Candidate> of_stages = candidates(slow, {});
    std::ranges::move(of_stages, std::back_inserter(found));
    return found;
  }

 private:
  struct Stage {
    double own_s = 0, usual_s = 0;
    double seen_s = 0;  ///< of those that other stages do not hide
    Place place;
  };

  /// All of the stages together whose collectives take far longer than those of the others: one
  /// link may slow several groups, and a step waits for each of them.
  Place slow_stages() {
    Place all;
    std::vector<int> numbers;
    double seen_s = 0, usual_s = 0;
    for (auto& [number, stage] : stages_) {
      if (stage.own_s < notable * stage.usual_s) continue;
      numbers.push_back(number);
      seen_s += stage.seen_s;
      usual_s += stage.usual_s;
      all.lost_s += stage.place.lost_s;
      std::ranges::copy(stage.place.cure, std::back_inserter(all.cure));
    }
    if (numbers.empty() || numbers.size() == stages_.size() || usual_s <= 0) return {};
    const std::string stages =
        fmt::format("stage{} {}", numbers.size() == 1 ? "" : "s", fmt::join(numbers, " and "));
    all.who = "data collectives of " + stages;
    all.remedy = fmt::format(
        "look at the links and NICs of the data ranks of {}: their collectives take {:.1f} times "
        "as long as those of other stages",
        stages, seen_s / usual_s);
    return all;
  }

  const Evidence& evidence_;
  std::map<std::string, Place> groups_;
  std::map<int, Stage> stages_;
  Place all_{.who = "data collectives", .remedy = slow_collectives("each stage")};
};

/// What would be gained if nothing of one traffic took any time, however fast its peers are.
class Exposed {
 public:
  explicit Exposed(Traffic traffic)
      : all_{.kind = CauseKind::communication,
             .aspect = Aspect::message,
             .who = all_communication(traffic),
             .remedy = remedy_against(traffic),
             .beyond_peers = true} {}

  void add(OpId body, Time length = {}) { all_.cure.push_back({body, length}); }
  void finish(std::vector<Candidate>& found) && {
    if (!all_.cure.empty()) found.push_back(std::move(all_));
  }

 private:
  Candidate all_;
};

/// The same of what ranks exchange within passes.
class Exchanged {
 public:
  void add(const TracedOperation& pass, OpId body, Time length) {
    for (size_t i = 0; i < all_.size(); ++i)
      if (const Time part = pass.exchanges[i]; part > Time{})
        all_[i].add(body, std::max(length - part, Time{}));
  }
  void finish(std::vector<Candidate>& found) && {
    for (Exposed& one : all_) std::move(one).finish(found);
  }

 private:
  std::array<Exposed, 3> all_ = {Exposed(Traffic::tensor), Exposed(Traffic::context),
                                 Exposed(Traffic::expert)};
};

/// What ranks that the trace lacks take part in: whether they or links are slow cannot be told.
Candidate with_missing_ranks(const Evidence& evidence) {
  Candidate all{.kind = CauseKind::communication,
                .aspect = Aspect::message,
                .who = "messages and sums with ranks that the trace lacks",
                .beyond_peers = true};
  evidence.for_each([&](const TracedOperation&, OpId body) {
    if (evidence.trace.is_unseen(body)) all.cure.push_back({body, Time{}});
  });
  return all;
}

}  // namespace

std::vector<Candidate> slow_communication(const Evidence& evidence) {
  Messages messages(evidence);
  Collectives collectives(evidence);
  Exposed pipeline(Traffic::pipeline), data(Traffic::data);
  Exchanged within;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (evidence.trace.is_unseen(body)) return;
    if (computes(one.kind)) within.add(one, body, evidence.lengths[body]);
    if (is_transfer(one.kind)) {
      messages.add(one, body);
      pipeline.add(body);
    } else if (communicates(one.kind)) {
      collectives.add(one, body);
      if (one.kind != OperationKind::layernorm_grads_all_reduce) data.add(body);
    }
  });
  std::vector<Candidate> found = std::move(messages).finish();
  std::vector<Candidate> others = std::move(collectives).finish();
  std::ranges::move(others, std::back_inserter(found));
  for (const auto& [body, length] : Lockstep(evidence).without_bytes()) data.add(body, length);
  std::move(within).finish(found);
  std::move(pipeline).finish(found);
  std::move(data).finish(found);
  if (Candidate missing = with_missing_ranks(evidence); !missing.cure.empty())
    found.push_back(std::move(missing));
  return found;
}

}  // namespace pipewright::diagnose
