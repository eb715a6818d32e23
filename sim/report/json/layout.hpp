// How JSON is laid out, and parts that several documents have.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "result/time_range.hpp"

namespace pipewright {

/// The text is indented by two spaces a level and ends with a newline. Lists of plain values and
/// small maps of them stand on one line. Bytes that are not UTF-8 (a file name may be anything)
/// become replacement characters.
std::string laid_out(const nlohmann::ordered_json& document);

/// The value is null where there is no number.
nlohmann::ordered_json number_or_null(const std::optional<double>& value);
/// The object has both ends. It is null where there is no range.
nlohmann::ordered_json range_or_null(const std::optional<TimeRange>& range);

}  // namespace pipewright
