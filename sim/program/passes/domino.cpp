#include "program/passes/domino.hpp"

#include <algorithm>
#include <span>

#include "program/passes/chunked.hpp"

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

/// Each slice has as many chains as there are columns; nothing is ever in flight in the one after
/// all of them.
class Interleaving {
 public:
  explicit Interleaving(const DominoCut& cut) : cut_(cut) {}

  Segments run(const Segments& slice) {
    const Segments pass = cut_.columns > 1 ? in_columns(slice, cut_.columns) : slice;
    bool waits = false;
    for (auto first = pass.begin(); first != pass.end();) {
      // The pieces of a product follow each other in one slice.
      const auto last = std::find_if(first + 1, pass.end(), [](auto& s) { return s.chain == 0; });
      for (int k = 0; k < cut_.slices; ++k) add({first, last}, k, waits);
      waits = last[-1].collective.has_value();
      first = last;
    }
    return std::move(all_);
  }

 private:
  void add(std::span<const Segment> pieces, int slice, bool waits) {
    if (waits) add_weight_gradients(pieces.front());
    for (Segment piece : pieces) {
      if (waits && piece.chain == 0) take_weight_gradients(piece);
      // What the first slice has waited for is over when the others' turn comes; what it has begun
      // since is not theirs.
      piece.joins = piece.joins && slice == 0;
      piece.chain += slice * cut_.columns;
      all_.push_back(std::move(piece));
    }
  }

  void add_weight_gradients(Segment of) {
    std::vector<Work> free = take_weight_gradients(of);
    if (!free.empty())
      all_.push_back(
          {.kernels = std::move(free), .part = of.part, .chain = cut_.slices * cut_.columns});
  }

  DominoCut cut_;
  Segments all_;
};

}  // namespace

StageWork interleave(StageWork whole, const StageWork& slice, const DominoCut& cut) {
  for (const auto pass :
       {&StageWork::forward, &StageWork::backward, &StageWork::input_gradient,
        &StageWork::weight_gradient, &StageWork::last_backward, &StageWork::last_weight_gradient})
    whole.*pass = Interleaving(cut).run(slice.*pass);
  return whole;
}

}  // namespace pipewright
