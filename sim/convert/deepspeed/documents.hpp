// A DeepSpeed job as two documents: the configuration, where "auto" leaves a key to the program,
// and the program's arguments.
#pragma once

#include "convert/deepspeed/inputs.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::deepspeed {

class Documents {
 public:
  using Names = std::initializer_list<std::string>;

  Documents(Inputs inputs, const job::Source& source, job::Import& import);

  /// Returns the value of a key of the configuration; nothing where it is left to the program.
  const config::Value* key(std::string_view path);
  /// Returns the number of a key, or of the first of the arguments that is there.
  std::optional<int64_t> number(const std::string& path, Names arguments);
  bool truth(const std::string& path, bool otherwise);
  /// Tells whether a key that is left to the program, or an argument beside it, says so.
  bool enabled(const std::string& path, Names arguments);

  /// Returns an argument of the program. Throws InputError where a script does not know its value.
  const config::Value* argument(Names names);
  bool flag(Names names);

  /// Looks up what nobody asked for, and carries what decides nothing (along.hpp).
  void review();
  /// The same of the configuration alone.
  void review_config();

  job::Settings& config() { return config_; }
  job::Settings& arguments() { return arguments_; }
  const Inputs& inputs() const { return inputs_; }

 private:
  Inputs inputs_;
  job::Settings config_, arguments_;
};

}  // namespace pipewright::deepspeed
