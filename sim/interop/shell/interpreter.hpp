// Follows the commands of a script.
#pragma once

#include <list>

#include "interop/shell/expander.hpp"
#include "interop/shell/flow.hpp"
#include "interop/shell/script.hpp"

namespace pipewright::shell {

using Functions = std::map<std::string, const Node*>;

/// What a running script has. Each kind of command is a function that is given this.
class Interpreter : public Substitutions {
 public:
  Interpreter(const Surroundings& surroundings, Outcome& outcome);

  Truth run(const Node& node);
  /// Runs a script that is read from `text`, in this shell.
  Truth run_script(std::string_view text, const Place& place);
  /// Runs a command whose output the script does not read.
  Truth run_unread(const Node& node);
  /// Returns what the commands of $(...) print.
  Text output_of(const Part& part) override;

  void print(const Text& text);
  bool is_printing() const { return output_; }
  /// Says that another program prints what the script reads.
  void lose_output();
  /// Ends the script.
  void leave(const Place& place);

  const Surroundings& surroundings() const { return surroundings_; }
  Outcome& outcome() { return outcome_; }
  Environment& environment() { return environment_; }
  Expander& expander() { return expander_; }
  Functions& functions() { return functions_; }
  Flow& flow() { return flow_; }
  /// Returns how many commands the one that runs is inside of.
  int depth() const { return depth_; }

 private:
  /// What $(...) reads.
  struct Output {
    Text text;
    bool is_known = true;
  };

  void count_step(const Place& place);

  const Surroundings& surroundings_;
  Outcome& outcome_;
  Environment environment_;
  Expander expander_;
  std::list<Node> scripts_;  ///< functions point into them
  Functions functions_;
  Flow flow_;
  Output* output_ = nullptr;  ///< null where nobody reads it
  int depth_ = 0;
};

}  // namespace pipewright::shell
