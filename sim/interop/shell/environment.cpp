#include "interop/shell/environment.hpp"

#include <algorithm>
#include <iterator>

namespace pipewright::shell {
namespace {

/// Variables that a shell or a scheduler always sets.
constexpr std::string_view set_by_system[] = {"HOME",     "USER",    "PATH",   "PWD",
                                              "OLDPWD",   "UID",     "RANDOM", "SECONDS",
                                              "HOSTNAME", "LOGNAME", "PPID",   "EPOCHSECONDS"};

bool is_set_by_system(std::string_view name) {
  return name.starts_with("SLURM_") || name.starts_with("OMPI_") || name.starts_with("PMI_") ||
         std::find(std::begin(set_by_system), std::end(set_by_system), name) !=
             std::end(set_by_system);
}

}  // namespace

Text* Variable::find(const std::string& key) {
  for (auto& [name, text] : elements)
    if (name == key) return &text;
  return nullptr;
}

void Variable::set(const std::string& key, Text value) {
  if (Text* old = find(key))
    *old = std::move(value);
  else
    elements.emplace_back(key, std::move(value));
}

Environment::Environment(const std::map<std::string, std::string>& given, Asked& asked)
    : given_(&given), asked_(&asked) {
  for (const auto& [name, value] : given) {
    const bool is_position = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return c >= '0' && c <= '9';
    });
    if (!is_position) continue;
    const size_t position = std::min<size_t>(std::stoul("0" + name.substr(0, 3)), 99);
    if (position == 0) continue;
    if (positional.size() < position) positional.resize(position);
    positional[position - 1] = text_of(value, {});
    asked.given.insert(name);
  }
  for (size_t i = 0; i < positional.size(); ++i) {
    const std::string name = std::to_string(i + 1);
    if (!given.contains(name)) positional[i] = text_of(Unknown{"${" + name + "}", name, true}, {});
  }
}

const Variable* Environment::find(const std::string& name) {
  const auto found = variables_.find(name);
  if (found != variables_.end()) return &found->second;
  const auto outside = given_->find(name);
  if (outside == given_->end()) return nullptr;
  asked_->given.insert(name);
  Variable variable;
  variable.set("0", text_of(outside->second, {}));
  return &(variables_[name] = std::move(variable));
}

Variable& Environment::make(const std::string& name) {
  note_change(name);
  if (gives_all_) given_on_.insert(name);
  given_now_.reset();
  return variables_[name];
}

void Environment::unset(const std::string& name) {
  note_change(name);
  given_now_.reset();
  variables_.erase(name);
}

/// What the user gives holds, whatever the script says.
void Environment::set(const std::string& name, Text value, bool appends) {
  const auto outside = given_->find(name);
  if (outside != given_->end()) {
    asked_->given.insert(name);
    value = text_of(outside->second, place_of(value, {}));
    appends = false;
  }
  for (Piece& piece : value) {
    if (!piece.unknown || piece.unknown->unset || !piece.unknown->name.empty()) continue;
    piece.unknown = std::make_shared<const Unknown>(Unknown{piece.unknown->written, name, false});
  }
  Variable& variable = make(name);
  if (!appends || variable.elements.empty()) {
    variable.elements.clear();
    variable.elements.emplace_back("0", std::move(value));
  } else {
    Text& old = variable.elements.front().second;
    old.insert(old.end(), value.begin(), value.end());
  }
}

Text Environment::value_of(const std::string& name, const Place& place) {
  const Variable* variable = find(name);
  if (!variable) return from_outside(name, place);
  for (const auto& [key, text] : variable->elements)
    if (key == "0") return text;
  return {};
}

GivenOn Environment::given_on() {
  if (given_now_) return given_now_;
  std::map<std::string, Text> all;
  for (const std::string& name : given_on_) {
    const auto variable = variables_.find(name);
    if (variable == variables_.end()) continue;
    for (const auto& [key, text] : variable->second.elements)
      if (key == "0") all[name] = text;
  }
  given_now_ = std::make_shared<const std::map<std::string, Text>>(std::move(all));
  return given_now_;
}

Text Environment::from_outside(const std::string& name, const Place& place) {
  const bool unset = !is_set_by_system(name);
  if (unset) asked_->unset.emplace(name, place);
  return text_of(Unknown{"${" + name + "}", name, unset}, place);
}

}  // namespace pipewright::shell
