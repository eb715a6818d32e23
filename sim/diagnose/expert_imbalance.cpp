#include "diagnose/expert_imbalance.hpp"

#include <algorithm>
#include <map>

namespace pipewright::diagnose {
namespace {

constexpr double alike_bytes = 1.01;  // the most bytes over the fewest

/// What the k-th exchange would be shorter for all ranks if their experts were alike.
Time saved(const std::vector<RankOperations*>& group, size_t k) {
  Time least = group.front()->exchanges[k].length;
  int64_t sum = 0;
  for (const RankOperations* rank : group) {
    least = std::min(least, rank->exchanges[k].length);
    sum += rank->exchanges[k].length.ps;
  }
  return Time{sum / static_cast<int64_t>(group.size())} - least;
}

/// Whether ranks are known to bring back equally many tokens.
bool are_alike(const std::vector<RankOperations*>& group, size_t k) {
  int64_t most = 0, least = INT64_MAX;
  for (const RankOperations* rank : group) {
    const ExpertExchange& one = rank->exchanges[k];
    if (one.received == 0) return false;
    most = std::max(most, one.sent);
    least = std::min(least, one.sent);
  }
  return least > 0 && static_cast<double>(most) <= alike_bytes * static_cast<double>(least);
}

bool have_the_same(const RankOperations& one, const RankOperations& other) {
  return std::ranges::equal(one.exchanges, other.exchanges, {}, &ExpertExchange::way,
                            &ExpertExchange::way);
}

void balance(const std::vector<RankOperations*>& group) {
  const RankOperations& first = *group.front();
  const bool agree = std::ranges::all_of(
      group, [&](const RankOperations* rank) { return have_the_same(first, *rank); });
  if (!agree || group.size() < 2) return;
  for (size_t k = 0; k < first.exchanges.size(); ++k) {
    if (first.exchanges[k].way != ExchangeWay::back || are_alike(group, k)) continue;
    const Time by = saved(group, k);
    for (RankOperations* rank : group) {
      TracedOperation& pass = rank->operations[rank->exchanges[k].operation];
      pass.imbalance = std::min(pass.imbalance + by, pass.duration);
    }
  }
}

}  // namespace

void find_imbalance(const std::vector<ExpertRank>& ranks) {
  std::map<std::pair<std::string, int>, std::vector<RankOperations*>> groups;
  for (const ExpertRank& rank : ranks) groups[{rank.group, rank.stage}].push_back(rank.work);
  for (const auto& [name, group] : groups) balance(group);
}

std::vector<Candidate> unbalanced_experts(const Evidence& evidence) {
  Candidate candidate{.kind = CauseKind::imbalance,
                      .aspect = Aspect::experts,
                      .who = "experts",
                      .remedy =
                          "balance the tokens of experts: a loss or a bias that evens them out, a "
                          "capacity, or copies of the experts that are asked most"};
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    const Time length = evidence.lengths[body];
    if (one.imbalance > Time{})
      candidate.cure.push_back({body, std::max(Time{}, length - one.imbalance)});
  });
  if (candidate.cure.empty()) return {};
  return {std::move(candidate)};
}

}  // namespace pipewright::diagnose
