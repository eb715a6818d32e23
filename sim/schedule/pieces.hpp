// The position of each piece of work in a schedule.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// A rank and a position in its order; false where the piece does not exist.
struct Place {
  int rank = -1;
  int position = -1;
  explicit operator bool() const { return rank >= 0; }
};

/// The document that gave a schedule: the value that asked for it and, where a user wrote out its
/// actions, the mark of each.
class Source {
 public:
  using MarkOf = std::function<config::Mark(Place)>;
  Source(const config::Value& whole) : whole_(whole) {}
  Source(const config::Value& whole, MarkOf mark_of)
      : whole_(whole), mark_of_(std::move(mark_of)) {}

  /// Throws InputError at the action of `place`, or at the whole schedule.
  [[noreturn]] void fail(Place place, const std::string& message) const;

 private:
  const config::Value& whole_;
  MarkOf mark_of_;
};

/// Does what validate() does for a value, and reports mistakes at the actions that make them.
void validate(const Schedule& schedule, const Source& source);

/// What to say of an action that stands on two ranks, or twice on one.
std::string given_twice(const Action& action, bool with_slice, int first, int second);

/// The place of every (pass, stage, micro-batch, slice).
class Pieces {
 public:
  /// Throws InputError at the second place of a piece that is given twice.
  Pieces(const Schedule& schedule, const Source& source);
  /// Of a schedule that is valid.
  explicit Pieces(const Schedule& schedule);

  Place find(Pass pass, int stage, int micro_batch, int slice) const {
    return places_[index(pass, stage, micro_batch, slice)];
  }
  /// The pass that produces the gradient of the stage's input: B, or I where B is split.
  Place backward(int stage, int micro_batch, int slice) const {
    const Place full = find(Pass::backward, stage, micro_batch, slice);
    return full ? full : find(Pass::input_gradient, stage, micro_batch, slice);
  }

 private:
  Pieces(const Schedule& schedule, const Source* source);
  size_t index(Pass pass, int stage, int micro_batch, int slice) const {
    return ((static_cast<size_t>(stage) * micro_batches_ + micro_batch) * slices_ + slice) * 4 +
           static_cast<size_t>(pass);
  }
  size_t micro_batches_, slices_;
  std::vector<Place> places_;
};

}  // namespace pipewright::schedule
