// Fields of CSV files, quoted as RFC 4180 says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pipewright {

/// The field is the text, in quotes where it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);
/// The field is the number, so that it reads back as the very same double; it is empty where there
/// is none.
std::string csv_field(const std::optional<double>& value);

}  // namespace pipewright
