// YAML documents as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "config/value.hpp"

namespace pipewright {

/// The JSON has the maps in the order of the document. Plain scalars that read as numbers or truth
/// values become such; quoted ones stay text.
nlohmann::ordered_json document_json(const config::Value& document);

/// The text is that of document_json(), laid out, with a newline at its end.
std::string json_text(const config::Value& document);

}  // namespace pipewright
