// What a script runs, as a text: words in brackets, commands on lines.
#pragma once

#include <string>

#include "interop/shell/script.hpp"

namespace pipewright::test {

inline shell::Outcome follow(const std::string& text, shell::Surroundings surroundings = {}) {
  return shell::follow(text, "run.sh", surroundings);
}

inline std::string commands_of(const std::string& text,
                               const shell::Surroundings& surroundings = {}) {
  std::string all;
  for (const shell::Command& command : follow(text, surroundings).commands) {
    for (const shell::Text& word : command) all += '[' + shell::written(word) + ']';
    all += '\n';
  }
  return all;
}

}  // namespace pipewright::test
