// Documents of another kind than a command takes.
#pragma once

#include <string>
#include <string_view>

#include "cli/document_kind.hpp"
#include "config/catalogue.hpp"

namespace pipewright::cli {

/// Throws InputError where `document`, read from `file`, is not `wanted` but plainly something
/// else. The message says what to do with it. What comes by standard input is not looked at.
void refuse_other_kind(const config::Value& document, const std::string& file, DocumentKind wanted,
                       const config::Catalogue& catalogue);

/// Throws InputError at what makes an experiment one without a schedule, on behalf of `command`.
void refuse_without_schedule(const config::Value& experiment, std::string_view command);
/// The same at a synthetic model, which has no layers.
void refuse_without_layers(const config::Value& experiment, std::string_view command);

}  // namespace pipewright::cli
