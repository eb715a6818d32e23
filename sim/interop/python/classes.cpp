// Classes that stand in files of the program (docs.python.org/3/library/dataclasses.html): what
// makes an object gives it the fields that nobody set. What a class does beyond that is not
// followed, but for its methods.
#include <algorithm>
#include <ranges>

#include "interop/python/builtins.hpp"
#include "interop/python/interpreter.hpp"

namespace pipewright::interop::python {
namespace {

/// Bases without fields.
constexpr std::string_view empty_bases[] = {"object", "ABC", "Protocol", "Generic", "NamedTuple"};

bool is_decorated(const std::vector<std::string>& decorators, std::string_view name) {
  return std::ranges::any_of(decorators,
                             [&](const std::string& one) { return last_name(one) == name; });
}

bool is_dunder(std::string_view name) { return name.starts_with("__"); }

/// Returns the names that the body of a class says, in order.
std::vector<std::string> fields_of(const Statement& definition) {
  std::vector<std::string> names;
  for (const Statement& one : definition.body) {
    const bool is_set = one.kind == Statement::Kind::assign && one.expressions.size() == 2 &&
                        one.expressions[0].kind == Expression::Kind::name;
    const bool is_said = one.kind == Statement::Kind::declare && one.text == "field";
    if (is_set) names.push_back(one.expressions[0].text);
    if (is_said) names.push_back(one.names.front());
  }
  return names;
}

}  // namespace

void Interpreter::define_class(const Statement& statement, Scope& scope) {
  const Place place{scope.module->file, statement.line, statement.column};
  const std::string& module = scope.module->name;
  const bool is_followed =
      module.empty() || !surroundings_.is_framework || !surroundings_.is_framework(module + '.');
  if (!is_followed) return bind(statement.text, {Symbol{statement.text}, place}, scope);
  const std::string within =
      scope.of_class.empty() ? statement.text : scope.of_class + '.' + statement.text;
  const std::string name = module.empty() ? within : module + '.' + within;
  Class one{.definition = &statement, .scope = &scopes_.emplace_back()};
  one.scope->outer = scope.of_class.empty() ? &scope : scope.outer;
  one.scope->module = scope.module;
  one.scope->of_class = within;
  for (const Expression& base : statement.expressions) {
    const Value value = value_of(base, scope);
    const std::string of = value.as<Symbol>() ? value.as<Symbol>()->name : base.written();
    const std::string plain = of.substr(0, of.find('['));
    if (std::ranges::find(empty_bases, last_name(plain)) == std::end(empty_bases))
      one.bases.push_back(of);
  }
  follow(statement.body, *one.scope);
  const auto& names = one.scope->names;
  one.is_data = (is_decorated(statement.names, "dataclass") || one.bases.empty()) &&
                !names.contains("__init__") && !names.contains("__new__") &&
                !names.contains("__post_init__");
  bind(statement.text, {Symbol{name}, place}, scope);
  classes_[name] = std::move(one);
}

void Interpreter::add_lineage(const std::string& name, Lineage& lineage, int depth) const {
  constexpr int deepest = 20;
  const auto found = classes_.find(name);
  if (found == classes_.end() || depth > deepest) {
    lineage.others.push_back(name);
    return;
  }
  const Class& one = found->second;
  // What stands first among the bases goes before the others.
  for (const std::string& base : one.bases | std::views::reverse)
    add_lineage(base, lineage, depth + 1);
  lineage.known.push_back(&one);
  lineage.is_data &= one.is_data;
  lineage.has_methods |= std::ranges::any_of(
      one.scope->names, [](const auto& inner) { return inner.second.closure() != nullptr; });
}

Interpreter::Lineage Interpreter::lineage_of(const std::string& name) const {
  Lineage lineage;
  if (classes_.contains(name)) add_lineage(name, lineage);
  return lineage;
}

const Value* Interpreter::class_attribute(const std::string& name,
                                          std::string_view attribute) const {
  const Lineage lineage = lineage_of(name);
  for (const Class* one : lineage.known | std::views::reverse)
    if (const auto found = one->scope->names.find(attribute); found != one->scope->names.end())
      return &found->second;
  return nullptr;
}

/// Takes what dataclasses.field(default=X) or field(default_factory=F) stands for.
Value Interpreter::default_of(const Value& value, const Place& place) {
  const Object* object = value.object();
  const std::string_view type = object ? last_name(object->type) : std::string_view();
  if (type != "field" && type != "Field") return value;
  if (const Value* said = object->find("default")) return *said;
  if (const Value* makes = object->find("default_factory"))
    return call_value(*makes, {.name = "default_factory", .place = place}, false);
  return {Unknown{object->type, {}}, place};
}

void Interpreter::name_arguments(const Lineage& lineage, Object& object) {
  std::vector<std::string> names;
  for (const Class* one : lineage.known)
    for (const std::string& name : fields_of(*one->definition))
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  if (object.arguments.size() > names.size()) return;
  for (size_t i = 0; i < object.arguments.size(); ++i)
    heap_.set(object, names[i], object.arguments[i]);
  object.arguments.clear();
}

void Interpreter::complete(Object& object, const Place& place) {
  const Lineage lineage = lineage_of(object.type);
  const bool adds_to_one = lineage.others.size() == 1 && !lineage.has_methods;
  if (lineage.known.empty() || !lineage.is_data || (!lineage.others.empty() && !adds_to_one))
    return;
  if (lineage.others.empty()) name_arguments(lineage, object);
  for (const Class* one : lineage.known | std::views::reverse)
    for (const auto& [name, value] : one->scope->names) {
      const auto* symbol = value.as<Symbol>();
      const bool is_field =
          !value.closure() && !is_dunder(name) && !(symbol && classes_.contains(symbol->name));
      if (is_field && !object.find(name)) heap_.set(object, name, default_of(value, place));
    }
  if (adds_to_one) object.type = lineage.others.front();
}

std::optional<Value> Interpreter::inherited(const Value& base, const Expression& expression) {
  const Lineage lineage = lineage_of(base.object()->type);
  if (lineage.known.empty() || !lineage.others.empty()) return std::nullopt;
  const Value* found = class_attribute(base.object()->type, expression.text);
  if (found && !found->closure()) return *found;
  const Closure* closure = found ? found->closure() : nullptr;
  if (closure && is_decorated(closure->definition->names, "property"))
    return call_closure(*closure,
                        {.name = expression.text, .arguments = {base}, .place = base.place});
  if (!lineage.is_data && !closure) return std::nullopt;
  return Value{Unknown{expression.written(), {}}, base.place};
}

std::optional<Value> Interpreter::call_method(const Value& base, const std::string& name,
                                              Call call) {
  if (auto value = method_of(base, name, call, heap_)) return value;
  if (auto value = parser_method(base, name, call)) return value;
  const Object* object = base.object();
  const auto* symbol = base.as<Symbol>();
  const std::string type = object ? object->type : symbol ? symbol->name : std::string();
  const Value* found = class_attribute(type, name);
  if (!found || !found->closure()) return std::nullopt;
  const std::vector<std::string>& decorators = found->closure()->definition->names;
  if (is_decorated(decorators, "classmethod"))
    call.arguments.insert(call.arguments.begin(), {Symbol{type}, call.place});
  else if (object && !is_decorated(decorators, "staticmethod"))
    call.arguments.insert(call.arguments.begin(), base);
  return call_closure(*found->closure(), call);
}

}  // namespace pipewright::interop::python
