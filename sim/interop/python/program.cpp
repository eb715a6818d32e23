#include "interop/python/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interop/python/interpreter.hpp"

namespace pipewright::interop::python {

struct Program::Parts {
  explicit Parts(Surroundings surroundings) : interpreter(std::move(surroundings)) {}
  Interpreter interpreter;
  Module* main = nullptr;
};

Program::Program(std::string_view text, const std::string& file, Surroundings surroundings)
    : parts_(std::make_unique<Parts>(std::move(surroundings))) {
  parts_->main = &parts_->interpreter.run(text, file);
}

Program::~Program() = default;

std::vector<std::string> Program::functions() const {
  std::vector<std::string> names;
  for (const Statement& statement : parts_->main->statements)
    if (statement.kind == Statement::Kind::define) names.push_back(statement.text);
  return names;
}

std::optional<Value> Program::find(std::string_view name) const {
  const auto found = parts_->main->globals.names.find(name);
  if (found == parts_->main->globals.names.end()) return std::nullopt;
  return found->second;
}

Value Program::call(const std::string& function) {
  Call call;
  call.name = function;
  call.place = {parts_->main->file, 1, 1};
  const auto found = find(function);
  const Value known =
      found && found->as<Symbol>() ? parts_->interpreter.resolved(*found) : found.value_or(Value{});
  if (const Closure* closure = known.closure())
    return parts_->interpreter.call_from_outside(*closure, std::move(call));
  throw InputError(call.place.where(), fmt::format("there is no function '{}' here; there are {}",
                                                   function, fmt::join(functions(), ", ")));
}

const std::vector<std::string>& Program::asked() const { return parts_->interpreter.asked(); }

bool Program::reads_command_line() const { return parts_->interpreter.reads_command_line(); }

}  // namespace pipewright::interop::python
