// What a caller from Python gives as an experiment: dictionaries, lists and plain values.
#pragma once

#include <pybind11/pybind11.h>

#include "config/value.hpp"

namespace pipewright::python {

/// Reads `object` as a YAML document that stands in no file. A text is read as YAML reads one
/// without quotes. Errors name the path of keys, which begins with `name`. Throws InputError for
/// what no YAML document can hold.
config::Value document_of(const pybind11::handle& object, const std::string& name);

}  // namespace pipewright::python
