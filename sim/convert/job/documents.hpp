// Documents of which a job is made: files that it names or extends, words KEY=VALUE that change
// it, and variables in its texts.
#pragma once

#include <vector>

#include "convert/job/job.hpp"

namespace pipewright::job {

/// Reads the job's text as PyYAML does: `<<` merges maps, and the last of equal keys holds, which
/// `import` then says.
config::Value parse_job(const Source& source, Import& import);

/// Returns the YAML file `name`: one of the further files that is called so, or one beside the file
/// that names it at `mark`; nothing where there is none.
std::optional<config::Value> find_document(const Source& source, const std::string& name,
                                           const config::Mark& mark);

/// Sets what the words KEY=VALUE of the command line say, as Hydra does: +key and ++key add, ~key
/// takes away. Throws InputError for a word that is none and no file.
void apply_words(const Source& source, config::Value& root);

/// Replaces ${NAME} and ${NAME:otherwise} by what is defined. Throws InputError for what is not.
void resolve_variables(const Source& source, config::Value& value);

/// Replaces ${a.b} and ${.b} by the values that they name, as OmegaConf does, and NeMo's
/// ${multiply:a,b}, sum, int_div, divide_ceil and divide_floor of whole numbers by theirs; other
/// expressions stay as they are written.
void resolve_references(config::Value& root);

}  // namespace pipewright::job
