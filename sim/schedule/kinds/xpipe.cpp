// XPipe (arXiv 1911.04610): PipeDream's order with a step per mini-batch of m micro-batches, whose
// first, the bellwether, predicts the weights that all of them use.
//
// When stage k runs F of the first micro-batch of mini-batch t, ceil((p-1-k)/m) mini-batches before
// it are not applied yet: it reads version t - that many (at least 0) and looks as many steps ahead
// along Adam's update. The other micro-batches of t, forward and backward, use the same predicted
// weights. In flight p-k micro-batches; 1 + ceil((p-1-k)/m) versions.
// Option rounding: how (p-1-k)/m becomes whole steps to look ahead: up (default: exactly the
// version that the gradient is applied to), down or nearest; the paper's own rounding could not be
// checked.
#include "schedule/asynchronous.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

enum class Rounding : uint8_t { up, down, nearest };

int divide(int gap, int micro_batches, Rounding rounding) {
  switch (rounding) {
    case Rounding::up:
      return (gap + micro_batches - 1) / micro_batches;
    case Rounding::down:
      return gap / micro_batches;
    case Rounding::nearest:
      return (2 * gap + micro_batches) / (2 * micro_batches);
  }
  abort_with("an unknown rounding");
}

/// All passes of a mini-batch read what was the newest version at its first forward.
void read_at_bellwether(Schedule& schedule) {
  const int m = schedule.micro_batches;
  read_newest(schedule, BackwardReads::stashed);
  for (Order& order : schedule.order) {
    std::vector<int> bellwether(static_cast<size_t>(schedule.iterations));
    for (Action& a : order) {
      if (a.pass == Pass::forward && a.micro_batch % m == 0)
        bellwether[a.micro_batch / m] = a.weight_version;
      a.weight_version = bellwether[a.micro_batch / m];
    }
  }
}

Schedule build_xpipe(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::xpipe, options);
  const auto rounding = static_cast<Rounding>(choice_of(kind::xpipe, fields, "rounding"));
  Schedule schedule = endless_one_f_one_b(shape, shape.micro_batches);
  read_at_bellwether(schedule);
  for (int k = 0; k < shape.ranks; ++k) {
    const int ahead = divide(shape.ranks - 1 - k, shape.micro_batches, rounding);
    schedule.look_ahead.push_back({ahead, ahead, true});
  }
  return schedule;
}

}  // namespace

const Kind kind::xpipe{
    .name = "xpipe",
    .aliases = {},
    .summary = "asynchronous 1F1B; each mini-batch's first micro-batch predicts its weights",
    .build = build_xpipe,
    .options = {{"rounding",
                 "",
                 "",
                 "How the steps that weights are predicted ahead become whole.",
                 {"up", "down", "nearest"}}}};

}  // namespace pipewright::schedule
