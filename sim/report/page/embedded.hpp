// The page around a report's data: HTML, style and scripts of scripts/, and d3, as they were when
// the library was built; scripts/embed.sh writes the texts.
#pragma once

#include <string_view>

namespace pipewright::page {

extern const std::string_view before_title, before_data, after_data;

}  // namespace pipewright::page
