#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diagnose/candidates.hpp"
#include "diagnose/device_work.hpp"
#include "diagnose/lockstep.hpp"
#include "diagnose/slow_collectives.hpp"
#include "diagnose/slow_parts.hpp"
#include "diagnose/usual_messages.hpp"

namespace pipewright::diagnose {
namespace {

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

/// `way`: "between stages 1 and 2, data rank 0".
std::string slow_messages(const std::string& way) {
  return fmt::format(
      "look at the links and NICs {}: its messages take longer than the median of their kind", way);
}

std::string between(const std::string& link) { return "between " + link; }

std::string remedy_of(const std::string& link, double slowdown) {
  if (slowdown < notable_part) return slow_messages(between(link));
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
    const auto [link, fresh] = links_.try_emplace(name, SlowPart{.who = name});
    if (fresh) link->second.remedy = remedy_of(name, usual_.slowdown(ends, one.dp_rank));
    link->second.add(evidence_, body, usual);
    const std::string stages = stages_name(ends);
    const auto [all, unseen] = stages_.try_emplace(stages, SlowPart{.who = stages});
    if (unseen) all->second.remedy = remedy_of(stages, usual_.slowdown(ends, one.dp_rank));
    all->second.add(evidence_, body, usual);
    for (const int stage : {ends.first, ends.second}) {
      const std::string adapter = adapter_name(stage, one.dp_rank);
      const auto [place, unknown] = adapters_.try_emplace(adapter, SlowPart{.who = adapter});
      if (unknown) place->second.remedy = slow_messages("of " + rank_name(stage, one.dp_rank));
      place->second.add(evidence_, body, usual);
    }
    all_.add(evidence_, body, usual);
  }

  std::vector<Candidate> finish() && {
    name_slowest();
    std::vector<Candidate> found = slow_parts(links_, std::move(all_));
    if (evidence_.job.data == 1) stages_.clear();
    for (std::map<std::string, SlowPart>* places : {&stages_, &adapters_}) {
      std::vector<Candidate> others = slow_parts(*places, {});
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
  std::map<std::string, SlowPart> links_, stages_, adapters_;
  SlowPart all_{.who = "pipeline messages"};
};

/// What would be gained if nothing of one traffic took any time, however fast its peers are.
class Exposed {
 public:
  explicit Exposed(Traffic traffic, Aspect aspect = Aspect::message)
      : all_{.kind = CauseKind::communication,
             .aspect = aspect,
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
  std::array<Exposed, 3> all_ = {Exposed(Traffic::tensor, Aspect::exchange),
                                 Exposed(Traffic::context, Aspect::exchange),
                                 Exposed(Traffic::expert, Aspect::tokens)};
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
  SlowCollectives collectives(evidence);
  const Lockstep lockstep(evidence);
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
  collectives.add(lockstep);
  std::vector<Candidate> others = std::move(collectives).finish();
  std::ranges::move(others, std::back_inserter(found));
  for (const Lockstep::Pass& pass : lockstep.passes())
    if (pass.gathers > Time{}) data.add(pass.body, pass.length - pass.gathers);
  std::move(within).finish(found);
  std::move(pipeline).finish(found);
  std::move(data).finish(found);
  if (Candidate missing = with_missing_ranks(evidence); !missing.cure.empty())
    found.push_back(std::move(missing));
  return found;
}

}  // namespace pipewright::diagnose
