// Where each piece of work stands in a schedule.
#pragma once

#include <vector>

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// A rank and a position in its order; false where the piece does not exist.
struct Place {
  int rank = -1;
  int position = -1;
  explicit operator bool() const { return rank >= 0; }
};

/// The place of every (pass, stage, micro-batch, slice).
class Pieces {
 public:
  /// Throws InputError at `where` for a piece that is given twice.
  Pieces(const Schedule& schedule, const config::Value& where);

  Place find(Pass pass, int stage, int micro_batch, int slice) const {
    return places_[index(pass, stage, micro_batch, slice)];
  }
  /// The pass that produces the gradient of the stage's input: B, or I where B is split.
  Place backward(int stage, int micro_batch, int slice) const {
    const Place full = find(Pass::backward, stage, micro_batch, slice);
    return full ? full : find(Pass::input_gradient, stage, micro_batch, slice);
  }

 private:
  size_t index(Pass pass, int stage, int micro_batch, int slice) const {
    return ((static_cast<size_t>(stage) * micro_batches_ + micro_batch) * slices_ + slice) * 4 +
           static_cast<size_t>(pass);
  }
  size_t micro_batches_, slices_;
  std::vector<Place> places_;
};

}  // namespace pipewright::schedule
