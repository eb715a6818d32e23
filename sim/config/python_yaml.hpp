// YAML as Python's tools read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright::config {

/// Reads one YAML document as PyYAML does: `<<: *other` gives a map what it does not say itself,
/// and of a key that is given twice the last one holds. Adds a line for each of those to
/// `repeated`; null makes them errors, as OmegaConf does. Throws InputError as parse() does.
Value parse_as_python(std::string_view text, std::string_view file_name,
                      std::vector<std::string>* repeated);

}  // namespace pipewright::config
