// The arguments of a Megatron-LM command line as they are written, before they mean anything.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "convert/job/launch.hpp"
#include "convert/megatron/arguments.hpp"

namespace pipewright::megatron {

/// One argument with its values. Its word holds the whole name behind "--", also where the user
/// wrote the beginning of one.
struct GivenFlag {
  job::Word word;
  const Argument* argument;  ///< null for what Megatron-LM never had
  std::vector<job::Word> values;
  bool is_several_words = false;  ///< and takes one text, which is taken to be all of them

  /// Returns the argument as the user wrote it.
  const std::string& named() const { return word.said.empty() ? word.text : word.said; }
  /// Returns the argument and its values as the user wrote them.
  std::string written() const;
};

class GivenFlags {
 public:
  /// Reads `--name value...` and `--name=value` as Python's argparse does: the last one holds.
  /// Notes in `import` what it assumes. Throws InputError for a value that is missing, too many, or
  /// not what Megatron-LM's parser takes.
  GivenFlags(const job::Launch& launch, job::Import& import);

  /// Returns the argument; null where it is not given.
  const GivenFlag* find(const std::string& name) const;
  /// Returns the names in the order in which they are first given.
  const std::vector<std::string>& names() const { return order_; }

 private:
  GivenFlag& start(const job::Word& word, const std::string& written);
  void add_value(GivenFlag* flag, const job::Word& word);
  /// Takes abbreviations of arguments apart that came when others were gone: a fork's own.
  void drop_later_ones();

  job::Import& import_;
  std::map<std::string, GivenFlag, std::less<>> flags_;
  std::vector<std::string> order_;
  std::map<std::string, std::string, std::less<>> completed_;  ///< names as they are written
};

}  // namespace pipewright::megatron
