#include "diagnose/slow_parts.hpp"

#include <algorithm>
#include <functional>

namespace pipewright::diagnose {
namespace {

/// Links, ranks and groups are looked at one by one only if they lose most of their kind.
constexpr size_t most_parts = 12;

}  // namespace

void SlowPart::add(const Evidence& evidence, OpId body, Time usual) {
  lost_s += in_seconds(evidence.lengths[body] - usual);
  cure.push_back({body, usual});
}

std::vector<Candidate> slow_parts(std::map<std::string, SlowPart>& parts, SlowPart all,
                                  Aspect aspect) {
  std::vector<SlowPart> worst;
  for (auto& [who, part] : parts) worst.push_back(std::move(part));
  std::ranges::stable_sort(worst, std::greater{}, &SlowPart::lost_s);
  if (worst.size() > most_parts) worst.resize(most_parts);
  worst.push_back(std::move(all));
  std::vector<Candidate> found;
  for (SlowPart& part : worst)
    if (part.lost_s > 0)
      found.push_back({.kind = CauseKind::communication,
                       .aspect = aspect,
                       .who = part.who,
                       .remedy = part.remedy,
                       .cure = std::move(part.cure)});
  return found;
}

}  // namespace pipewright::diagnose
