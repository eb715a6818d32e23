// Follows the commands of a script.
#pragma once

#include <list>
#include <set>

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
  /// Follows a command of which only the machine decides how often it runs. Variables and files
  /// that it changes are not known afterwards.
  void run_perhaps(const Node& node);
  /// Runs a script that is read from `text`, in this shell.
  Truth run_script(std::string_view text, const Place& place);
  /// Runs commands of which each reads what the one before it prints.
  Truth run_pipe(const std::vector<Node>& commands);
  /// Returns what the pipe before a command gives, once.
  std::optional<Text> take_input();
  /// Returns what the commands of $(...) print.
  Text output_of(const Part& part) override;

  /// Returns the text of a file that the script wrote or that is there.
  std::optional<Text> file(const std::string& path) const;
  /// Keeps what a file holds from here on; nothing where that is not known.
  void write(const std::string& path, std::optional<Text> text, bool appends = false);
  /// Empties the files that `pattern` names, and those in folders that it names.
  void remove(const std::string& pattern);

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
  /// What $(...), a pipe or a file takes.
  struct Output {
    Text text;
    size_t size = 0;  ///< characters
    bool is_known = true;

    std::optional<Text> take() { return is_known ? std::optional(std::move(text)) : std::nullopt; }
  };

  /// What a pipe gives.
  struct Input {
    std::optional<Text> text;
    bool is_open = false;  ///< nobody has taken it as a text
  };

  void count_step(const Place& place);
  Truth run_here(const Node& node);
  /// Runs a command behind a pipe that gives `input`; nothing where that is not known.
  Truth run_piped(const Node& node, std::optional<Text> input);
  /// Runs a command whose output goes where `to` says.
  Truth run_into(const Redirection& to, const Node& node);

  const Surroundings& surroundings_;
  Outcome& outcome_;
  Environment environment_;
  Expander expander_;
  std::list<Node> scripts_;  ///< functions point into them
  Functions functions_;
  Flow flow_;
  Output* output_ = nullptr;  ///< null where nobody reads it
  Input input_;
  size_t written_ = 0;                        ///< characters, to files
  std::set<std::string>* changed_ = nullptr;  ///< takes the names of files that change
  int depth_ = 0;
};

}  // namespace pipewright::shell
