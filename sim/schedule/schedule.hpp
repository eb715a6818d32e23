// Pipeline schedules as pure data: which rank does which pass of which stage on which micro-batch,
// in what order. No times, no hardware.
//
// Words: p `ranks`; S `stages` of the model, in model order; m `micro_batches` of one iteration;
// K token `slices` of a micro-batch. A stage lives on the rank whose order holds its passes; in
// bidirectional schedules two ranks hold a copy of it, each serving other micro-batches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "config/value.hpp"

namespace pipewright::schedule {

enum class Pass : uint8_t {
  forward,          // F
  backward,         // B: both halves in one
  input_gradient,   // I
  weight_gradient,  // W
};
char letter(Pass pass);

/// One pass of one stage over one micro-batch (or one token slice of it).
struct Action {
  Pass pass = Pass::forward;
  /// This action and the next of its rank run as one overlapped pair (DualPipe's F with B).
  bool pairs_with_next = false;
  int16_t slice = 0;
  int32_t stage = 0;
  /// Counts on through the iterations: iteration t holds t*m .. t*m + m - 1.
  int32_t micro_batch = 0;
  /// Weight version read: the number of optimizer steps behind it.
  int32_t weight_version = 0;

  bool operator==(const Action&) const = default;
};
/// "2F0", with token slices "2F0.1": stage, pass, micro-batch, slice.
std::string to_string(const Action& action, bool with_slice = false);

/// The costs of a stage, for the few schedules that are searched for rather than written down.
/// Vectors have one entry per stage.
struct StageCosts {
  std::vector<Time> forward, input_gradient, weight_gradient;
  Time hop;  ///< transfer between neighbouring stages
  /// Time (forward plus backward, one stage) of a token slice of `length` after `context` tokens.
  std::function<Time(int length, int context)> slice_cost;
};

/// The shape that a schedule is asked for.
struct Shape {
  int ranks = 1;
  int micro_batches = 1;  ///< of one iteration, over both directions
  int iterations = 1;
  int sequence = 0;  ///< tokens of a micro-batch's sequences; 0 where tokens mean nothing
  /// Costs for `stages` stages; empty where nothing is known about them.
  std::function<StageCosts(int stages)> costs;
  bool allow_commands = false;  ///< whether a schedule may run the user's own program
};

using Order = std::vector<Action>;  // of one rank

/// The way in which the output of a pass leaves its rank.
enum class Sends : uint8_t {
  as_asked,  // as the experiment's overlap.p2p says
  streamed,  // while it is being computed: the transfer has ended when the pass has
  blocking,  // after the pass, which the next pass of the rank waits for
};

/// Weight prediction: the optimizer steps by which a stage's passes look ahead of the version that
/// they read.
struct LookAhead {
  int forward = 0, backward = 0;
  bool held = false;  ///< the backward reads the weights that its forward predicted
  /// The weights' last change is carried on, not the optimizer's velocity: the former weights are
  /// held besides.
  bool by_difference = false;

  bool any() const { return forward > 0 || backward > 0; }
};

/// The activation of a micro-batch that waits for its backward in another rank's memory.
struct Eviction {
  int32_t stage = 0, micro_batch = 0;
  int32_t rank = 0, host = 0;  ///< whose it is, who keeps it
  int32_t leaves_after = 0;    ///< the position in its rank's order whose end lets it leave
  int32_t returns_after = 0;   ///< the one whose end lets it come back; its backward waits for it
  /// The eviction, by its place in Schedule::evictions, whose return makes room at the host; -1
  /// where there is room anyway.
  int32_t room_from = -1;
};

/// An order for every rank, complete and consistent (see validate()).
struct Schedule {
  int stages = 0;
  int slices = 1;
  int micro_batches = 0;  ///< of one iteration
  int iterations = 1;
  /// Micro-batches whose gradients make one optimizer step: m for one step an iteration.
  int step_every = 0;
  /// Every step waits for all passes of its micro-batches (a flush). False: passes of later
  /// micro-batches go on meanwhile and their weight versions say what they read.
  bool synchronous = true;
  /// Tokens of each slice; empty when slices are equal or meaningless.
  std::vector<int> slice_tokens;
  Sends sends = Sends::as_asked;
  /// A rank has two servers at once, one for forwards and one for backwards: a forward waits for
  /// all that precedes it in the order, a backward only for the backwards and for its own forward.
  bool parallel_passes = false;
  std::vector<LookAhead> look_ahead;  ///< by stage; empty without weight prediction
  /// Evictions by rank, in the order in which they leave and return. The next forward of the rank
  /// waits until the activation has left.
  std::vector<Eviction> evictions;
  std::vector<Order> order;  // by rank

  int ranks() const { return static_cast<int>(order.size()); }
  int total_micro_batches() const { return micro_batches * iterations; }
  /// Chunks of the model on a rank: stages / ranks (v), 1 for two copies of p stages.
  int chunks() const { return stages / ranks(); }
};

/// Throws InputError at `where` unless every stage does every pass of every micro-batch and slice
/// exactly once, F before B or I before W, and the order can run under asynchronous sends.
void validate(const Schedule& schedule, const config::Value& where);

// --- Building blocks for the files of this folder ---

/// An empty schedule of `shape` with `stages` stages; orders are empty.
Schedule make(const Shape& shape, int stages, int slices = 1);

/// Repeats the orders of one iteration for all of `shape.iterations`: micro-batches count on and
/// every iteration reads the weights of the step before it.
void repeat_iterations(Schedule& schedule);

inline Action forward(int stage, int micro_batch, int slice = 0) {
  return {Pass::forward, false, static_cast<int16_t>(slice), stage, micro_batch, 0};
}
inline Action backward(int stage, int micro_batch, int slice = 0) {
  return {Pass::backward, false, static_cast<int16_t>(slice), stage, micro_batch, 0};
}
inline Action input_gradient(int stage, int micro_batch, int slice = 0) {
  return {Pass::input_gradient, false, static_cast<int16_t>(slice), stage, micro_batch, 0};
}
inline Action weight_gradient(int stage, int micro_batch, int slice = 0) {
  return {Pass::weight_gradient, false, static_cast<int16_t>(slice), stage, micro_batch, 0};
}

}  // namespace pipewright::schedule
