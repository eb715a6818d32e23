// The three ways in which a rules file gives the orders: steps (warm-up, steady pattern, drain),
// slots, or priorities.
#pragma once

#include <array>

#include "schedule/rules/layout.hpp"

namespace pipewright::schedule::rules {

inline constexpr Pass all_passes[] = {Pass::forward, Pass::backward, Pass::input_gradient,
                                      Pass::weight_gradient};
inline constexpr std::string_view pass_names[] = {"F", "B", "I", "W"};  // by Pass

/// One pass of a step: "F", "F(chunk)", "B(chunk, micro-batch)", "W?(...)".
struct Call {
  Pass pass;
  std::vector<Expression> arguments;
  bool if_left = false;          ///< "?": left out where there is no such pass
  bool pairs_with_next = false;  ///< "|"
  int at = 0;                    ///< offset in the text
};

struct Step;
using Steps = std::vector<Step>;

struct Step {
  enum class Kind : uint8_t { calls, repeat, choice } kind = Kind::calls;
  config::Value source;
  std::vector<Call> calls;
  Expression condition;  ///< of a choice; the count of a repeat
  int counter = variable::repetition;
  Steps body, otherwise;
};
/// Reads a text of calls, a map with `repeat` or `if`, or a list of those. Adds the counters that
/// `counting` names to `names`.
Steps read_steps(const config::Value& value, Names& names);

/// An expression for each pass: F, and either B or both I and W.
struct OfPasses {
  config::Value source;
  std::array<std::optional<Expression>, 4> of;  ///< by Pass
  bool splits_backward() const { return of[static_cast<int>(Pass::input_gradient)].has_value(); }
  const Expression& operator[](Pass pass) const {
    const std::optional<Expression>& expression = of[static_cast<size_t>(pass)];
    if (!expression) abort_with("rules say nothing of this pass");
    return *expression;
  }
};

/// The list schedule's policy, as expressions.
struct Priorities {
  OfPasses priority;
  std::optional<OfPasses> time;
  std::optional<Expression> hop, memory_cap, in_flight;
};
Priorities read_priorities(const config::Value& value, const Names& names);
OfPasses read_slots(const config::Value& value, const Names& names);

// Each fills the orders of `schedule`, which is otherwise complete.
void run_steps(const Steps& steps, Context& context, const Layout& layout, Schedule& schedule);
void run_slots(const OfPasses& slots, Context& context, const Layout& layout, Schedule& schedule);
void run_priorities(const Priorities& priorities, Context& context, const Layout& layout,
                    Schedule& schedule);

}  // namespace pipewright::schedule::rules
