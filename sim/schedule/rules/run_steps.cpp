#include <fmt/format.h>

#include <deque>

#include "schedule/rules/generators.hpp"

namespace pipewright::schedule::rules {
namespace {

/// Keeps how far a rank's calls without a micro-batch have come in one of its chunks.
struct Progress {
  size_t forwards = 0, backwards = 0;
  std::deque<std::pair<size_t, Action>> waiting;  // I's without W, with the position of each
};

/// Writes the order of one rank.
class RankRun {
 public:
  RankRun(int rank, Context& context, const Layout& layout, Order& order)
      : rank_(rank),
        context_(context),
        layout_(layout),
        chunks_(layout.chunks[static_cast<size_t>(rank)]),
        progress_(chunks_.size()),
        order_(order) {
    for (const Chunk& chunk : chunks_)
      most_ += 3 * layout.micro_batches[chunk.copy].size() * static_cast<size_t>(layout.slices);
  }

  void run(const Steps& steps) {
    for (const Step& step : steps) {
      switch (step.kind) {
        case Step::Kind::calls:
          run_calls(step);
          break;
        case Step::Kind::repeat:
          repeat(step);
          break;
        case Step::Kind::choice:
          run(context_.evaluate(step.condition) != 0 ? step.body : step.otherwise);
      }
    }
  }

 private:
  void repeat(const Step& step) {
    const int64_t count = context_.evaluate(step.condition);
    const std::optional<int64_t> outer = context_.at(step.counter);
    for (int64_t k = 0; k < count; ++k) {
      context_.step(step.source);
      context_.set(step.counter, k);
      run(step.body);
    }
    context_.at(step.counter) = outer;
  }

  void run_calls(const Step& step) {
    bool paired = false;  // the call before this one wants it as its second half
    for (const Call& call : step.calls) {
      context_.step(step.source);
      std::optional<Action> action = resolve(step, call);
      if (!action && paired) order_.back().pairs_with_next = false;
      paired = action && call.pairs_with_next;
      if (!action) continue;
      if (order_.size() == most_)
        fail(step, call, fmt::format("rank {} has more passes than its stages need", rank_));
      action->pairs_with_next = paired;
      if (action->pass == Pass::input_gradient)
        progress_[chunk_].waiting.emplace_back(order_.size(), *action);
      order_.push_back(*action);
    }
  }

  [[noreturn]] void fail(const Step& step, const Call& call, const std::string& message) const {
    context_.fail(step.source, call.at, message);
  }

  /// The action that a call means; nothing where it is left out. Sets chunk_.
  std::optional<Action> resolve(const Step& step, const Call& call) {
    const bool any_chunk = call.pass == Pass::weight_gradient && call.arguments.empty();
    chunk_ = any_chunk ? longest_waiting() : chunk_of(step, call);
    std::optional<Action> action = call.arguments.size() < 2 ? next(call) : named(step, call);
    if (!action && !call.if_left) {
      const char* what = call.pass == Pass::weight_gradient ? "no I is left that waits for its W"
                                                            : "no such pass is left";
      fail(step, call, fmt::format("rank {}: {}; '?' after it leaves it out then", rank_, what));
    }
    return action;
  }

  size_t chunk_of(const Step& step, const Call& call) const {
    const int64_t c = call.arguments.empty() ? 0 : context_.evaluate(call.arguments[0]);
    if (c >= 0 && c < static_cast<int64_t>(chunks_.size())) return static_cast<size_t>(c);
    fail(step, call, fmt::format("rank {} has no chunk {}; it holds {}", rank_, c, chunks_.size()));
  }

  /// The chunk whose I has waited longest for its W; the first when none waits.
  size_t longest_waiting() const {
    size_t best = 0;
    for (size_t c = 0; c < progress_.size(); ++c) {
      const auto &waiting = progress_[c].waiting, &least = progress_[best].waiting;
      if (!waiting.empty() && (least.empty() || waiting.front().first < least.front().first))
        best = c;
    }
    return best;
  }

  /// The next pass of chunk_: forwards by micro-batch and slice, backwards by micro-batch with
  /// slices reversed, W's in the order of their I's.
  std::optional<Action> next(const Call& call) {
    if (chunks_.empty()) return std::nullopt;
    Progress& progress = progress_[chunk_];
    if (call.pass == Pass::weight_gradient) {
      if (progress.waiting.empty()) return std::nullopt;
      Action action = progress.waiting.front().second;
      progress.waiting.pop_front();
      action.pass = Pass::weight_gradient;
      action.pairs_with_next = false;
      return action;
    }
    const Chunk& chunk = chunks_[chunk_];
    const auto slices = static_cast<size_t>(layout_.slices);
    const std::vector<int>& stream = layout_.micro_batches[chunk.copy];
    const bool is_forward = call.pass == Pass::forward;
    size_t& done = is_forward ? progress.forwards : progress.backwards;
    if (done == stream.size() * slices) return std::nullopt;
    const int b = stream[done / slices];
    const size_t x = is_forward ? done % slices : slices - 1 - done % slices;
    ++done;
    return Action{call.pass, false, static_cast<int16_t>(x), chunk.stage, b, 0};
  }

  /// The pass of the micro-batch (and slice) that the call names.
  std::optional<Action> named(const Step& step, const Call& call) const {
    const Chunk& chunk = chunks_[chunk_];
    const int64_t b = context_.evaluate(call.arguments[1]);
    const int64_t x = call.arguments.size() > 2 ? context_.evaluate(call.arguments[2]) : 0;
    if (call.arguments.size() == 2 && layout_.slices > 1)
      fail(step, call, "with slices, a pass of a micro-batch must name its slice as well");
    if (b < 0 || b >= layout_.total_micro_batches() || x < 0 || x >= layout_.slices) {
      if (call.if_left) return std::nullopt;
      fail(step, call,
           fmt::format("there is no micro-batch {}{}; '?' after it leaves it out then", b,
                       layout_.slices > 1 ? fmt::format(" with a slice {}", x) : ""));
    }
    if (layout_.copy_of[b] != chunk.copy) {
      fail(step, call,
           fmt::format("micro-batch {} goes through copy {} of the model, chunk {} of "
                       "rank {} belongs to copy {}",
                       b, layout_.copy_of[b], chunk_, rank_, chunk.copy));
    }
    return Action{call.pass, false, static_cast<int16_t>(x), chunk.stage, static_cast<int>(b), 0};
  }

  int rank_;
  Context& context_;
  const Layout& layout_;
  const std::vector<Chunk>& chunks_;
  std::vector<Progress> progress_;  // by chunk
  Order& order_;
  size_t most_ = 0;  // passes that a sound order can have
  size_t chunk_ = 0;
};

}  // namespace

void run_steps(const Steps& steps, Context& context, const Layout& layout, Schedule& schedule) {
  for (int i = 0; i < schedule.ranks(); ++i) {
    context.set(variable::rank, i);
    RankRun(i, context, layout, schedule.order[i]).run(steps);
  }
  context.at(variable::rank).reset();
}

}  // namespace pipewright::schedule::rules
