// The arguments of a Megatron-LM command line, looked up by name, and what becomes of those that
// nobody asked for.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "convert/job/launch.hpp"
#include "convert/megatron/given_flags.hpp"

namespace pipewright::megatron {

class Flags {
 public:
  /// Reads the arguments: see GivenFlags.
  Flags(const job::Launch& launch, const job::Source& source, job::Import& import);

  /// Tells whether arguments are keys of a document.
  bool is_document() const { return spelled_ != nullptr; }

  /// Tells whether the argument is there; it is used then.
  bool has(const std::string& name);
  /// Returns its value. Throws InputError where that is not known.
  std::optional<std::string> text(const std::string& name);
  std::vector<std::string> texts(const std::string& name);
  /// Returns its value as it is written, with what is not known in it.
  std::string written(const std::string& name);
  /// Returns its value where that is known, and does not use it; nothing else.
  std::optional<std::string> look(const std::string& name) const;
  /// Returns its value where that is known; nothing else.
  std::optional<std::string> said(const std::string& name);
  /// Returns the arguments that nobody has asked for and that go with the model, as Bash has them,
  /// those of the newest release alone. They are used then.
  std::string of_model();
  int64_t number(const std::string& name, int64_t otherwise, int64_t least = 1);
  double real(const std::string& name, double otherwise);
  /// Returns the argument as the user wrote it, or would write it.
  std::string named(const std::string& name) const;
  [[noreturn]] void fail(const std::string& name, const std::string& message) const;
  /// Fails for want of the argument.
  [[noreturn]] void miss(const std::string& name) const;
  /// Fails, or notes it where the user wants what can be said.
  void refuse(const std::string& name, const std::string& message);
  Where where(const std::string& name) const;
  /// Returns the place of the first argument; of a document its beginning.
  Where where() const;

  /// Uses the argument where it is there with this one value, or with none where that is empty.
  bool accept(const std::string& name, std::string_view value);
  /// Refuses the arguments that decide a key below `meaning` and that nobody asked for.
  void refuse_unused(std::string_view meaning, const std::string& why);
  /// Refuses what matters and cannot be said, and lists what does not matter, after all that
  /// matters was asked for.
  void review();

  /// Returns the last month whose state of Megatron-LM has all the arguments that are given.
  std::string latest() const;
  const GivenFlags& given() const { return given_; }
  /// Tells whether somebody has asked for the argument.
  bool is_used(std::string_view name) const { return used_.contains(name); }
  const job::Source& source() const { return source_; }
  job::Import& import() { return import_; }

 private:
  const GivenFlag* find(const std::string& name);
  /// Notes two arguments of which no release has both.
  void check_releases();
  /// Notes that the argument at a key of a document decides nothing.
  void note_idle(const GivenFlag& flag);
  void review_one(const std::string& name, const GivenFlag& flag);

  const job::Source& source_;
  job::Import& import_;
  std::string (*spelled_)(const std::string& name);
  GivenFlags given_;
  std::set<std::string, std::less<>> used_;
  std::string program_;  ///< as it is started; empty where nothing says it
};

}  // namespace pipewright::megatron
