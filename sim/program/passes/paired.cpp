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

}  // namespace pipewright
