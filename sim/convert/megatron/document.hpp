// Arguments of Megatron-LM that are written as keys of a document, as NeMo, Megatron Bridge and
// Primus do: their words are those of arguments.yaml, and fields of Megatron-Core's configurations
// whose arguments have other names.
#pragma once

#include <span>
#include <vector>

#include "convert/job/launch.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::megatron {

/// A key that is not called as its argument.
struct Alias {
  std::string_view key, argument;
  bool negated = false;  ///< the argument stands where the key is false
};

/// What a framework calls otherwise, and what only it has.
struct Dialect {
  std::span<const Alias> aliases;
  std::span<const job::Key> own;  ///< left to Settings::review
};

/// Adds the keys of `section` that are Megatron-LM's and not yet used to `words`, and uses them.
/// What is null says nothing. An empty section is the document itself.
void add_arguments(job::Settings& settings, const std::string& section, const Dialect& dialect,
                   std::vector<job::Word>& words);

/// Adds one argument whose value stands at `path` of a document; a flag where `value` is empty.
void add_argument(const std::string& name, const std::string& value, const std::string& path,
                  const Where& where, std::vector<job::Word>& words);

/// Returns the devices that --define NGPU=N says.
job::Devices defined_devices(const job::Source& source);

}  // namespace pipewright::megatron
