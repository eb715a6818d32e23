// What a program in Python makes (interop/python) as a document: an object is a map, which names
// its class at "_target_" and has arguments without a name at "_args_".
#pragma once

#include "convert/job/job.hpp"
#include "interop/python/program.hpp"

namespace pipewright::job {

/// Returns the surroundings of a program that lies where `source` says. Names that --define gives
/// are `given`.
interop::python::Surroundings surroundings_of(const Source& source);

/// Returns `value` as a document. What the program does not say is a map with `unknown_key`
/// (settings.hpp). Refuses what functions that are not known do to the job.
config::Value document_of(const interop::python::Value& value, const Source& source,
                          Import& import);

/// Returns "Config" or "Trainer.Config", the last `parts` names of the class of a document, or
/// nothing where it has none.
std::string class_of(const config::Value& document, int parts = 1);

}  // namespace pipewright::job
