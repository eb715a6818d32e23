// Statements that decide which others are followed (interpreter.hpp).
#include <algorithm>

#include "interop/python/interpreter.hpp"

namespace pipewright::interop::python {

/// Follows statements of which it is not known whether they are followed: what they set is not
/// known.
Interpreter::Flow Interpreter::in_doubt(const Unknown& why,
                                        const std::vector<Statement>& statements, Scope& scope) {
  const std::optional<Unknown> before = state_.doubt;
  if (!state_.doubt) state_.doubt = why;
  const Flow flow = follow(statements, scope);
  state_.doubt = before;
  return flow;
}

Interpreter::Flow Interpreter::choose(const Statement& statement, Scope& scope) {
  const Value condition = value_of(statement.expressions.front(), scope);
  if (const auto truth = truth_of(condition))
    return follow(*truth ? statement.body : statement.otherwise, scope);
  const Unknown why = why_unknown(statement.expressions.front(), condition);
  const Flow one = in_doubt(why, statement.body, scope);
  const Flow other = in_doubt(why, statement.otherwise, scope);
  if (one == Flow::give && other == Flow::give) {
    Unknown given = state_.doubt.value_or(why);
    given.may_be_known = true;
    state_.result = Value{given, condition.place};
    return Flow::give;
  }
  return perhaps(std::max(one, other), why);
}

/// Returns how statements end that may follow, and notes why that is not known.
Interpreter::Flow Interpreter::perhaps(Flow flow, const Unknown& why) {
  if (flow == Flow::next || flow == Flow::stop) return Flow::next;
  why_ = state_.doubt.value_or(why);
  return flow == Flow::give || flow == Flow::may_give ? Flow::may_give : Flow::may_leave;
}

Interpreter::Flow Interpreter::repeat(const Statement& statement, Scope& scope) {
  const bool counts = !statement.expressions.empty();
  const Value over = counts ? value_of(statement.expressions[1], scope) : Value{};
  if (const auto items = items_of(over)) return repeat_over(statement, *items, scope);
  const Unknown why = counts ? why_unknown(statement.expressions[1], over)
                             : Unknown{"how often this is repeated", {}};
  if (counts) assign(statement.expressions[0], {why, over.place}, scope);
  const Flow flow = in_doubt(why, statement.body, scope);
  const Flow after = in_doubt(why, statement.otherwise, scope);
  // What leaves this loop leaves no other.
  return std::max(flow, after) >= Flow::give ? perhaps(Flow::give, why) : Flow::next;
}

/// Returns the flow of a loop that was `whole` before a pass. `sure`: nothing in it is in doubt.
template <class Flow>
static Flow joined(Flow whole, Flow pass, bool sure) {
  if (pass == Flow::give) return sure ? pass : Flow::may_give;
  if (pass == Flow::stop) return std::max(whole, pass);
  return pass == Flow::may_give ? pass : whole;
}

Interpreter::Flow Interpreter::repeat_over(const Statement& statement,
                                           const std::vector<Value>& over, Scope& scope) {
  const std::optional<Unknown> before = state_.doubt;
  const std::vector<Value> items = over;  // the body may change it
  heap_.count(items.size() / Heap::looked_at);
  Flow whole = Flow::next;
  bool ends = false;
  for (const Value& item : items) {
    assign(statement.expressions[0], item, scope);
    leaves_loop_ = false;
    const Flow flow = follow(statement.body, scope);
    if ((flow == Flow::may_give || (flow == Flow::may_leave && leaves_loop_)) && !state_.doubt)
      state_.doubt = why_;
    ends = flow == Flow::give || flow == Flow::stop || (flow == Flow::leave && leaves_loop_);
    whole = joined(whole, flow, state_.doubt == before);
    if (ends) break;
  }
  if (!ends) {
    const Flow after = follow(statement.otherwise, scope);
    whole = std::max(whole, state_.doubt != before && after == Flow::give ? Flow::may_give : after);
  }
  leaves_loop_ = false;
  state_.doubt = before;
  return whole;
}

Interpreter::Flow Interpreter::leave(const Statement& statement, Scope& scope) {
  if (statement.text != "raise") {
    leaves_loop_ = leaves_loop_ || statement.text == "break";
    return Flow::leave;
  }
  const Value raised =
      statement.expressions.empty() ? Value{} : value_of(statement.expressions.front(), scope);
  // Where it is not known whether this raises, it does not: there would be no job. But what is
  // tried would go on elsewhere.
  if (state_.doubt) return state_.tries > 0 ? Flow::give : Flow::stop;
  const Object* object = raised.object();
  const auto* symbol = raised.as<Symbol>();
  if (const std::string name = object   ? object->type
                               : symbol ? symbol->name
                                        : std::string();
      name == "SystemExit" || callee_of(statement) == "SystemExit")
    throw Exit{};
  throw Raised({*scope.module->file, statement.line, statement.column},
               "the program stops here with an error of its own");
}

std::string Interpreter::callee_of(const Statement& statement) {
  if (statement.expressions.empty()) return {};
  const Expression& raised = statement.expressions.front();
  return raised.kind == Expression::Kind::call ? raised.parts[0].written() : raised.written();
}

Interpreter::Flow Interpreter::attempt(const Statement& statement, Scope& scope) {
  const State before = state_;
  ++state_.tries;
  Flow flow = Flow::next;
  try {
    flow = follow(statement.body, scope);
    --state_.tries;
  } catch (const Raised&) {
    if (statement.text.empty()) throw;
    state_ = before;
  }
  const Unknown why{"whether this raises", {}};
  const Flow other = in_doubt(why, statement.otherwise, scope);
  return flow != Flow::next ? flow : perhaps(other, why);
}

}  // namespace pipewright::interop::python
