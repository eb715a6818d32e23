// What 'import' and 'export' say of the formats that they know.
#pragma once

#include "cli/command.hpp"
#include "convert/formats/format.hpp"

namespace pipewright::cli {

/// Of 'import --help' and 'export --help': the text of the command and its formats, or all about
/// the format that `arguments` name.
std::string explain_import(const Arguments& arguments);
std::string explain_export(const Arguments& arguments);

std::vector<std::string_view> names_of(const std::vector<const convert::Format*>& formats);

}  // namespace pipewright::cli
