// Keys of a document that experiments of its kind do not have.
#pragma once

#include <string>
#include <vector>

#include "config/value.hpp"
#include "experiment/experiment.hpp"

namespace pipewright {

/// A key of a document and where it stands.
struct PlacedKey {
  std::string path;  ///< "parallel.pipeline"
  Where where;
};

/// Returns the keys of `document` that experiments of `kind` do not have, in their order. What is
/// in such a key is not listed.
std::vector<PlacedKey> keys_of_other_kinds(const config::Value& document, ExperimentKind kind);

/// The same of an experiment, as paths.
std::vector<std::string> keys_of_other_kinds(const Experiment& experiment);

/// Takes those keys out of `document`.
void erase_keys_of_other_kinds(config::Value& document, ExperimentKind kind);

/// Throws InputError for the first such key. `key` is the one that makes the experiment of its
/// kind.
void refuse_keys_of_other_kinds(const config::Value& document, ExperimentKind kind,
                                std::string_view key);

}  // namespace pipewright
