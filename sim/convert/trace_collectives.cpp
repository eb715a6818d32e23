#include "convert/trace_collectives.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace pipewright {
namespace {

using collective::Algorithm;

/// One for each kind, whatever the members: those that the alpha-beta model stands for.
const Algorithm& algorithm_for(CollectiveKind kind, const collective::Members& members) {
  for (const Algorithm* algorithm : collective::algorithms()) {
    const bool plain =
        algorithm->name == "ring" || algorithm->name == "chain" || algorithm->name == "pairwise";
    if (plain && algorithm->serves(kind, members)) return *algorithm;
  }
  abort_with("a collective that neither ring, chain nor pairwise serves");
}

}  // namespace

CollectiveSteps::ByDevice CollectiveSteps::expand(const OpType& type,
                                                  const std::vector<int32_t>& devices) const {
  collective::Members members = collective::members_on(topology_, devices);
  members.rails = 1;  // messages of several rings between two ranks would not be told apart
  const collective::Rounds rounds =
      algorithm_for(type.collective, members).rounds(type.collective, members, type.bytes);
  ByDevice steps;
  for (const int device : members.devices) steps[device];
  std::vector<collective::Edge> messages;
  for (int64_t round = 0; round < rounds.count; ++round) {
    messages.clear();
    rounds.messages(round, messages);
    for (const collective::Edge& m : messages)
      steps[members.devices[m.from]].push_back({members.devices[m.to], m.bytes, true, m.reads});
    for (const collective::Edge& m : messages)
      steps[members.devices[m.to]].push_back({members.devices[m.from], m.bytes, false, m.writes});
  }
  return steps;
}

const std::vector<CollectiveStep>& CollectiveSteps::of(OpId op, int32_t device) {
  const Op& o = program_.ops[op];
  const auto [found, is_new] = known_.try_emplace({o.type, o.peer});
  if (is_new) found->second = expand(program_.types[o.type], program_.groups[o.peer]);
  return found->second.at(device);
}

}  // namespace pipewright
