#include "program/passes/paired.hpp"

#include <algorithm>

namespace pipewright {
namespace {

/// Returns a chain in which nothing of `pass` is ever in flight.
int free_chain(const Segments& pass) {
  int chain = 0;
  for (const Segment& segment : pass) chain = std::max(chain, segment.chain);
  return chain + 1;
}

Segments reordered(const Segments& pass) {
  const int free = free_chain(pass);
  Segments all;
  for (Segment segment : pass) {
    if (!segment.collective) {
      all.push_back(std::move(segment));
      continue;
    }
    const auto first = std::ranges::stable_partition(segment.kernels, [](const Work& work) {
      return work.direction != Direction::weight_gradient;
    });
    Segment later{.kernels = {first.begin(), first.end()}, .part = segment.part, .chain = free};
    segment.kernels.erase(first.begin(), first.end());
    all.push_back(std::move(segment));
    if (!later.kernels.empty()) all.push_back(std::move(later));
  }
  return all;
}

}  // namespace

StageWork with_weight_gradients_last(StageWork work) {
  for (Segments* pass : {&work.backward, &work.last_backward}) *pass = reordered(*pass);
  return work;
}

Segments side_by_side(const Segments& first, const Segments& second) {
  const int chains = free_chain(first);
  Segments both;
  size_t of_first = 0, of_second = 0;
  while (of_first < first.size() || of_second < second.size()) {
    const bool is_behind = of_first * second.size() <= of_second * first.size();
    if (of_second == second.size() || (is_behind && of_first < first.size())) {
      both.push_back(first[of_first++]);
    } else {
      both.push_back(second[of_second++]);
      both.back().chain += chains;
    }
  }
  return both;
}

}  // namespace pipewright
