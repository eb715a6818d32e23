#include "program/passes/domino.hpp"

#include <algorithm>

namespace pipewright {
namespace {

bool makes_weight_gradients(const Work& work) {
  return work.direction == Direction::weight_gradient;
}

/// The first run of weight gradients of a segment, taken out of it.
std::vector<Work> take_weight_gradients(Segment& segment) {
  std::vector<Work>& kernels = segment.kernels;
  const auto first = std::find_if(kernels.begin(), kernels.end(), makes_weight_gradients);
  const auto last = std::find_if_not(first, kernels.end(), makes_weight_gradients);
  std::vector<Work> taken(first, last);
  kernels.erase(first, last);
  return taken;
}

/// Chains [0, count) are the slices'; nothing is ever under way in the next one.
class Interleaving {
 public:
  explicit Interleaving(int count) : count_(count) {}

  Segments run(const Segments& slice) {
    bool waits = false;
    for (const Segment& segment : slice) {
      for (int chain = 0; chain < count_; ++chain) add(segment, chain, waits);
      waits = segment.collective.has_value();
    }
    return std::move(all_);
  }

 private:
  void add(Segment segment, int chain, bool waits) {
    segment.chain = chain;
    if (waits) {
      std::vector<Work> free = take_weight_gradients(segment);
      if (!free.empty())
        all_.push_back({.kernels = std::move(free), .part = segment.part, .chain = count_});
    }
    all_.push_back(std::move(segment));
  }

  int count_;
  Segments all_;
};

}  // namespace

StageWork interleave(StageWork whole, const StageWork& slice, int count) {
  for (const auto pass :
       {&StageWork::forward, &StageWork::backward, &StageWork::input_gradient,
        &StageWork::weight_gradient, &StageWork::last_backward, &StageWork::last_weight_gradient})
    whole.*pass = Interleaving(count).run(slice.*pass);
  return whole;
}

}  // namespace pipewright
