// JSON between values and text. Compiling what writes and reads it takes seconds, so it is done
// here alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pipewright {

/// Returns `value` as JSON, with `indent` spaces a level or, where it is negative, on one line.
/// Bytes that are no UTF-8 become U+FFFD, as no text of a user's may stop a report.
std::string dump_json(const nlohmann::json& value, int indent = -1);
std::string dump_json(const nlohmann::ordered_json& value, int indent = -1);

/// Returns the value that `text` says. `is_discarded()` holds where it is no JSON.
nlohmann::json parse_json(std::string_view text);
/// Returns the same with the keys of its objects in the order of `text`.
nlohmann::ordered_json parse_ordered_json(std::string_view text);

}  // namespace pipewright
