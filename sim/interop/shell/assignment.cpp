#include "interop/shell/assignment.hpp"

#include <utility>

namespace pipewright::shell {
namespace {

/// Returns what is left of `text` behind its first `cut` characters.
Text without_start(Text text, size_t cut) {
  Text rest;
  for (Piece& piece : text) {
    const size_t size = piece.unknown ? piece.unknown->written.size() : piece.text.size();
    if (cut >= size) {
      cut -= size;
      continue;
    }
    piece.place = place_in(piece, cut);
    piece.text.erase(0, piece.unknown ? 0 : cut);
    cut = 0;
    rest.push_back(std::move(piece));
  }
  return rest;
}

/// Adds words to a list; `[KEY]=WORD` says where it goes.
void add_elements(Variable& variable, std::vector<Text> words) {
  size_t next = variable.elements.size();
  for (Text& word : words) {
    const std::string start = written(word);
    const size_t close = start.starts_with('[') ? start.find("]=") : std::string::npos;
    if (close == std::string::npos)
      variable.set(std::to_string(next++), std::move(word));
    else
      variable.set(start.substr(1, close - 1), without_start(std::move(word), close + 2));
  }
}

void assign_array(const Assignment& assignment, Environment& environment, Expander& expander) {
  Variable variable;
  if (const Variable* old = environment.find(assignment.name)) {
    if (assignment.appends) variable = *old;
    variable.is_map = old->is_map;
  }
  variable.is_array = true;
  add_elements(variable, expander.words(assignment.values));
  environment.make(assignment.name) = std::move(variable);
}

void assign_element(const Assignment& assignment, Text value, Environment& environment,
                    Expander& expander) {
  std::optional<std::string> key = known(expander.text(assignment.index));
  environment.find(assignment.name);  // Where it is given from outside, it becomes a variable.
  Variable& variable = environment.make(assignment.name);
  if (key && !variable.is_map)
    key = std::to_string(evaluate(*key, assignment.place, environment).value);
  variable.is_array = true;
  if (!key) return;
  Text* old = assignment.appends ? variable.find(*key) : nullptr;
  if (old)
    old->insert(old->end(), value.begin(), value.end());
  else
    variable.set(*key, std::move(value));
}

}  // namespace

void assign(const Assignment& assignment, Environment& environment, Expander& expander) {
  if (assignment.is_array) return assign_array(assignment, environment, expander);
  Text value = expander.text(assignment.values);
  if (assignment.index.empty())
    environment.set(assignment.name, std::move(value), assignment.appends);
  else
    assign_element(assignment, std::move(value), environment, expander);
}

}  // namespace pipewright::shell
