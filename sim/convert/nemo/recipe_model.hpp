// Models that recipes of NeMo 2 name by a class in Python.
#pragma once

#include <string_view>

#include "convert/job/settings.hpp"

namespace pipewright::nemo {

/// Returns the model of the catalogue that has the sizes of a class of nemo.collections.llm, such
/// as "Llama3Config8B"; empty where it is not known.
std::string_view model_of_class(std::string_view name);

/// Gives `transformer`, which a class of a recipe has, what the fields of its maker say over that.
void take_sizes(job::Settings& settings, config::Value& transformer, job::Import& import);

}  // namespace pipewright::nemo
