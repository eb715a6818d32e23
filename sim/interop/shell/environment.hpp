// The variables of a running script.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interop/shell/arithmetic.hpp"
#include "interop/shell/text.hpp"

namespace pipewright::shell {

/// A variable; a plain one has one element, "0".
struct Variable {
  std::vector<std::pair<std::string, Text>> elements;
  bool is_array = false, is_map = false;

  Text* find(const std::string& key);
  void set(const std::string& key, Text value);
};

/// What of a script's surroundings was asked for.
struct Asked {
  std::map<std::string, Place> unset;  ///< variables that nobody sets, where first used
  std::set<std::string> given;         ///< those that the user gave
  bool counts = false;                 ///< the number of arguments, where there were none
};

/// Variables by name, as a program has them when it starts.
using GivenOn = std::shared_ptr<const std::map<std::string, Text>>;

class Environment : public Variables {
 public:
  /// `given` are values from outside.
  Environment(const std::map<std::string, std::string>& given, Asked& asked);

  const Variable* find(const std::string& name) override;
  /// Returns the variable, which is about to change.
  Variable& make(const std::string& name);
  void set(const std::string& name, Text value, bool appends = false);
  void unset(const std::string& name);
  /// Adds the names of variables that change to `names` from here on, or to none where it is null.
  /// Returns what they were added to before.
  std::set<std::string>* record(std::set<std::string>* names) {
    return std::exchange(changed_, names);
  }

  /// Returns the text of a plain variable, with an unknown piece where nobody sets it.
  Text value_of(const std::string& name, const Place& place) override;
  void assign(const std::string& name, const Text& value) override { set(name, value); }
  /// Returns how many arguments there are: $#.
  size_t count_arguments() {
    asked_->counts = asked_->counts || positional.empty();
    return positional.size();
  }

  /// Gives a variable to the programs that the script starts.
  void give(const std::string& name) {
    given_on_.insert(name);
    given_now_.reset();
  }
  /// Gives every variable that is set from here on to them, or no longer: set -a, set +a.
  void give_all(bool all) { gives_all_ = all; }
  /// Returns the variables that programs are given now and that have a value.
  GivenOn given_on();

  std::vector<Text> positional;
  bool has_all_arguments = false;  ///< beyond `positional` there are none: those of a function
  size_t shifted = 0;              ///< arguments that stood before $1
  Text script;                     ///< $0
  std::string folder;              ///< the working directory, as the script knows it

 private:
  Text from_outside(const std::string& name, const Place& place);
  void note_change(const std::string& name) {
    if (changed_) changed_->insert(name);
  }

  const std::map<std::string, std::string>* given_;
  Asked* asked_;
  std::map<std::string, Variable> variables_;
  std::set<std::string> given_on_;  ///< to programs that are started
  GivenOn given_now_;               ///< null where it is to be found anew
  bool gives_all_ = false;
  std::set<std::string>* changed_ = nullptr;
};

}  // namespace pipewright::shell
