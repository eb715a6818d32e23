// Scripts that a script sources or starts.
#pragma once

#include <optional>

#include "interop/shell/condition.hpp"
#include "interop/shell/syntax.hpp"

namespace pipewright::shell {

class Interpreter;

/// Runs `text` as a script in this shell. Throws InputError at `place` where it starts itself.
Truth interpret(Interpreter& shell, const std::string& text, const Place& place);

/// Runs the script `path` in this shell; without `arguments` it sees those of this one.
Truth include(Interpreter& shell, const std::string& path, const Place& place,
              const std::vector<Text>& arguments);

/// Returns the script that `bash -c SCRIPT`, maybe behind a launcher, is given.
std::optional<Text> given_script(const std::vector<Text>& words);

/// Returns the script that `bash` or `sbatch` without a file reads, where it is known.
std::optional<Text> script_read(Interpreter& shell, const Node& node,
                                const std::vector<Text>& words);

/// Returns the script that `sbatch --wrap=SCRIPT` is given.
std::optional<Text> wrapped_script(const std::vector<Text>& words);

/// Runs a script that is no file, and that the command `words` starts, in a shell of its own.
Truth start_given(Interpreter& shell, const Text& script, const std::vector<Text>& words,
                  const Place& place);

/// Runs the script that a command names, if there is one of that name, in a shell of its own.
Truth start_script(Interpreter& shell, const std::vector<Text>& words);

}  // namespace pipewright::shell
