// Follows the commands of a script.
#pragma once

#include <list>
#include <set>

#include "interop/shell/expander.hpp"
#include "interop/shell/script.hpp"

namespace pipewright::shell {

class Interpreter : public Substitutions {
 public:
  Interpreter(const Surroundings& surroundings, Outcome& outcome);

  /// Follows a script as the shell that was started with it does.
  void start(std::string_view text, const std::string& path);

  Truth run(const Node& node);
  Text output_of(const Part& part) override;

  // For commands that the shell has itself.
  Environment& environment() { return environment_; }
  Outcome& outcome() { return outcome_; }
  void print(const Text& text);
  bool is_printing() const { return output_; }
  void leave(const Place& place);
  void jump(char how) { jump_ = how; }  ///< 'b'reak, 'c'ontinue, 'r'eturn
  Truth include(const std::string& path, const Place& place, const std::vector<Text>& arguments);
  Truth interpret(const std::string& text, const Place& place);
  /// Returns whether there was a script of that name to start.
  bool start_other(const std::string& path, const std::vector<Text>& arguments);

 private:
  Truth dispatch(const Node& node);
  Truth list(const Node& node);
  Truth both(const Node& node);
  Truth pipeline(const Node& node);
  Truth branch(const Node& node);
  Truth loop(const Node& node);
  Truth each(const Node& node);
  Truth counted(const Node& node);
  Truth choice(const Node& node);
  Truth subshell(const Node& node);
  Truth arithmetic(const std::string& text, const Place& place);
  Truth condition(const Node& node);
  Truth simple(const Node& node);
  Truth call(const Node& function, std::vector<Text> words);
  void assign(const Assignment& assignment);
  void assign_array(const Assignment& assignment);
  void assign_elements(const Assignment& assignment, Variable& variable);
  Truth other_command(const Node& node, const std::vector<Text>& words);
  bool write_file(const Node& node, const std::vector<Text>& words);
  bool decide(const Truth& truth, const Place& place);
  bool body(const Node& node);
  bool fits(const Node& pattern, const Text& subject, const Place& place);
  void count_step(const Place& place);

  const Surroundings& surroundings_;
  Outcome& outcome_;
  Environment environment_;
  Expander expander_;
  std::list<Node> scripts_;  ///< functions point into them
  std::map<std::string, const Node*> functions_;
  Text* output_ = nullptr;  ///< of $(...)
  bool output_is_known_ = true;
  std::string unknown_command_;
  bool exited_ = false;
  char jump_ = '\0';
  int depth_ = 0;
  int64_t steps_ = 0;
};

/// A command that the shell follows by itself.
using Builtin = Truth (*)(Interpreter&, const Node&, const std::vector<Text>&);

/// Returns the builtin of that name, or null.
Builtin find_builtin(std::string_view name);

}  // namespace pipewright::shell
