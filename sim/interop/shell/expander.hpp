// From words as they are written to words as a command gets them.
#pragma once

#include <vector>

#include "interop/shell/environment.hpp"
#include "interop/shell/syntax.hpp"

namespace pipewright::shell {

class Fields;

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

  Environment& environment() { return environment_; }

 private:
  std::vector<Text> fields_of(const Word& word);
  void part(const Part& part, Fields& fields);
  Text arithmetic(const Part& part);

  Environment& environment_;
  Substitutions& substitutions_;
};

}  // namespace pipewright::shell
