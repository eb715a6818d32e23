// The arguments of a Megatron-LM command line, looked up by name.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "interop/shell_words.hpp"

namespace pipewright {

class MegatronFlags {
 public:
  /// Reads `--name value...` and `--name=value` of the command that starts a training, or of the
  /// last command that has such words.
  MegatronFlags(std::string_view text, const std::string& file);

  /// Tells whether the argument is there; it is used then.
  bool has(const std::string& name);
  std::optional<std::string> text(const std::string& name);
  int64_t number(const std::string& name, int64_t otherwise, int64_t least = 1);
  double real(const std::string& name, double otherwise);
  [[noreturn]] void fail(const std::string& name, const std::string& message) const;
  Where where(const std::string& name) const;

  /// The arguments that nobody asked for, as they were written.
  std::vector<std::string> unused() const;

 private:
  struct Flag {
    shell::Word word;
    std::vector<shell::Word> values;
  };
  void read(const shell::Command& command);
  const Flag* find(const std::string& name);

  std::string file_;
  std::map<std::string, Flag> flags_;
  std::vector<std::string> order_;
  std::set<std::string> used_;
};

}  // namespace pipewright
