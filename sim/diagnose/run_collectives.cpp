#include "diagnose/run_collectives.hpp"

#include <algorithm>
#include <cstdint>

namespace pipewright::diagnose {

void RunCollectives::add(const RunSlice& slice, const Name& name,
                         const std::pair<Time, Time>& passes) {
  const bool before = slice.end <= passes.first;
  auto& of_rank = all_[{name.kind, name.group, slice.stage, name.number, before}][slice.rank];
  if (before || slice.end > passes.second) of_rank.push_back(&slice);
}

std::vector<RunCollectives::Shown> RunCollectives::shown() {
  const std::map<Time, int32_t> numbers = order();
  std::vector<Shown> found;
  for (auto& [which, members] : all_) {
    size_t fewest = SIZE_MAX;
    for (const auto& [rank, own] : members) fewest = std::min(fewest, own.size());
    for (auto& [rank, own] : members) {
      std::ranges::stable_sort(own, {}, &RunSlice::start);
      for (size_t i = own.size() - fewest; i < own.size(); ++i)
        found.push_back(
            {own[i], std::get<0>(which), std::get<1>(which), numbers.at(own[i]->start)});
    }
  }
  return found;
}

std::map<Time, int32_t> RunCollectives::order() const {
  std::map<Time, int32_t> order;
  for (const auto& [which, members] : all_)
    for (const auto& [rank, own] : members)
      for (const RunSlice* one : own) order.emplace(one->start, 0);
  int32_t next = 0;
  for (auto& [start, number] : order) number = next++;
  return order;
}

}  // namespace pipewright::diagnose
