// From words as they are written to words as a command gets them.
#pragma once

#include <optional>
#include <vector>

#include "interop/shell/environment.hpp"
#include "interop/shell/syntax.hpp"

namespace pipewright::shell {

/// Runs the commands of $(...).
class Substitutions {
 public:
  virtual ~Substitutions() = default;
  /// Returns what the commands print, without the last line ends.
  virtual Text output_of(const Part& part) = 0;
};

class Expander {
 public:
  Expander(Environment& environment, Substitutions& substitutions)
      : environment_(environment), substitutions_(substitutions) {}

  /// Returns what becomes of `word` in a command: none, one or several words.
  std::vector<Text> words(const Word& word);
  std::vector<Text> words(const std::vector<Word>& all);
  /// Returns `word` as one text, as in an assignment.
  Text text(const Word& word);
  Text text(const std::vector<Word>& words) { return words.empty() ? Text{} : text(words.front()); }

 private:
  struct Fields;
  void part(const Part& part, Fields& fields);
  void parameter(const Part& part, Fields& fields);
  bool is_list(const Parameter& parameter) const;
  std::vector<Text> list(const Part& part);
  std::vector<Text> elements(const Part& part);
  Text value(const Part& part);
  Text plain_value(const Part& part);
  Text indexed_value(const Part& part);
  Text special(const Part& part);
  std::string key(const Part& part, const Variable* variable);
  Text operate(const Part& part, Text value);
  Text substituted(const Part& part, Text value);
  Text changed(const Part& part, const Text& value);
  Text substring(const Part& part, const std::string& value);
  Text arithmetic(const Part& part);

  Environment& environment_;
  Substitutions& substitutions_;
};

}  // namespace pipewright::shell
