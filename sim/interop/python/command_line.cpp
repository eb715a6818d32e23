// The command line of a program (docs.python.org/3/library/argparse.html): the program starts
// without arguments, or with those that --define gives by the names of their attributes.
#include <fmt/format.h>

#include <algorithm>

#include "interop/python/builtins.hpp"
#include "interop/python/interpreter.hpp"
#include "interop/words.hpp"

namespace pipewright::interop::python {
namespace {

/// Where a parser keeps its arguments.
constexpr std::string_view kept_arguments = "*arguments";

bool is_parser(const Value& value) {
  const Object* object = value.object();
  return object && last_name(object->type) == "ArgumentParser";
}

/// Returns how an argument is called: --num-nodes is num_nodes, and of several names the first long
/// one counts.
std::string attribute_of_argument(const Call& call) {
  if (const Value* said = call.find("dest"))
    return said->as<std::string>() ? *said->as<std::string>() : std::string();
  std::string name;
  for (const Value& one : call.arguments) {
    const std::string* flag = one.as<std::string>();
    if (!flag) return {};
    if (name.empty() || (flag->starts_with("--") && !name.starts_with("--"))) name = *flag;
  }
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::ranges::replace(name, '-', '_');
  return name;
}

bool is_positional(const Call& call) {
  const std::string* name =
      call.arguments.empty() ? nullptr : call.arguments.front().as<std::string>();
  return name && !name->starts_with('-');
}

std::string plain_argument(const Object& argument, std::string_view name) {
  const Value* value = argument.find(name);
  if (value && value->as<Symbol>()) return std::string(last_name(value->as<Symbol>()->name));
  const auto text = value ? plain_text(*value) : std::nullopt;
  return text.value_or(std::string());
}

bool takes_none(std::string_view count) { return count == "?" || count == "*" || count == "..."; }
bool takes_several(std::string_view count) { return !count.empty() && count != "?"; }

bool is_flag(std::string_view action) {
  return action.starts_with("store_") || action == "BooleanOptionalAction";
}

/// Returns what a flag without a value is where nobody says it, or nothing for others.
std::optional<bool> unsaid_flag(std::string_view action) {
  if (action == "store_true") return false;
  if (action == "store_false") return true;
  return std::nullopt;
}

}  // namespace

std::optional<Value> Interpreter::parser_method(const Value& base, std::string_view name,
                                                const Call& call) {
  if (!is_parser(base)) return std::nullopt;
  Object& parser = *base.object();
  const Value nothing{{}, call.place};
  if (name == "add_argument_group" || name == "add_mutually_exclusive_group") return base;
  if (name == "add_argument") {
    add_argument(parser, call);
    return nothing;
  }
  if (name == "set_defaults") {
    for (const auto& [argument, value] : call.named) set_default(parser, argument, value);
    return nothing;
  }
  if (name == "parse_args") return command_line(parser, call);
  if (name == "parse_known_args")
    return Value{&heap_.list({command_line(parser, call), {&heap_.list(), call.place}}),
                 call.place};
  return std::nullopt;
}

void Interpreter::add_argument(Object& parser, const Call& call) {
  const std::string name = attribute_of_argument(call);
  if (name.empty() || plain_text(call.find("action") ? *call.find("action") : Value{}) == "version")
    return;
  Object& argument = heap_.object({}, call.place);
  for (const auto& [key, value] : call.named) heap_.set(argument, key, value);
  heap_.set(argument, "dest", {name, call.place});
  if (is_positional(call)) heap_.set(argument, "required", {true, call.place});
  if (call.doubt) heap_.set(argument, "default", {*call.doubt, call.place});
  Value* list = parser.find(kept_arguments);
  if (!list) list = &heap_.set(parser, kept_arguments, {&heap_.list(), call.place});
  heap_.count(1);
  if (list->list()) list->list()->items.push_back({&argument, call.place});
}

void Interpreter::set_default(Object& parser, const std::string& name, const Value& value) {
  const Value* list = parser.find(kept_arguments);
  if (list && list->list())
    for (const Value& argument : list->list()->items)
      if (plain_argument(*argument.object(), "dest") == name)
        heap_.set(*argument.object(), "default", value);
}

Value Interpreter::command_line(const Object& parser, const Call& call) {
  Object& names = heap_.object(std::string(namespace_type), call.place);
  const Value* list = parser.find(kept_arguments);
  if (list && list->list())
    for (const Value& argument : list->list()->items)
      heap_.set(names, plain_argument(*argument.object(), "dest"),
                argument_value(*argument.object()));
  reads_command_line_ = true;
  return {&names, call.place};
}

/// Returns what an argument is: what --define gives, else its default, else nothing where it may be
/// left out.
Value Interpreter::argument_value(const Object& argument) {
  const std::string name = plain_argument(argument, "dest");
  const std::string action = plain_argument(argument, "action");
  asked_.push_back(name);
  const auto given = surroundings_.given.find(name);
  if (given != surroundings_.given.end()) return argument_given(argument, given->second);
  const Place place = argument.place;
  if (const Value* otherwise = argument.find("default")) {
    const std::string* text = otherwise->as<std::string>();
    return text ? argument_of_text(argument, *text) : *otherwise;
  }
  if (const auto flag = unsaid_flag(action)) return {*flag, place};
  const Value* required = argument.find("required");
  const bool is_required =
      required && truth_of(*required) != false && !takes_none(plain_argument(argument, "nargs"));
  if (is_required) return {Unknown{fmt::format("the argument {}", name), name}, place};
  return {{}, place};
}

/// Returns the value that an argument has by --define NAME=TEXT; several stand with blanks between.
Value Interpreter::argument_given(const Object& argument, const std::string& text) {
  if (is_flag(plain_argument(argument, "action")))
    return {text != "False" && text != "false" && text != "0", argument.place};
  if (!takes_several(plain_argument(argument, "nargs"))) return argument_of_text(argument, text);
  List& list = heap_.list();
  for (const std::string_view word : interop::words_of(text))
    list.items.push_back(argument_of_text(argument, std::string(word)));
  heap_.count(list.items.size());
  return {&list, argument.place};
}

Value Interpreter::argument_of_text(const Object& argument, const std::string& text) {
  const Value written{text, argument.place};
  const Value* type = argument.find("type");
  if (!type) return written;
  return call_value(*type, {.name = "type", .arguments = {written}, .place = argument.place},
                    false);
}

}  // namespace pipewright::interop::python
