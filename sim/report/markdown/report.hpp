// Reports as Markdown, for issues, wikis and notebooks.
#pragma once

#include <string>

#include "report/text/report.hpp"

namespace pipewright {

/// Returns the report under its title. Tables have pipes, as GitHub reads them; what has to keep
/// its columns stands in a fence. Characters that Markdown would read are escaped.
std::string markdown_text(const Report& report);

}  // namespace pipewright
