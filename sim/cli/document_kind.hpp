// Tells what a YAML document is by what stands in it.
#pragma once

#include "config/catalogue.hpp"

namespace pipewright::cli {

enum class DocumentKind : uint8_t {
  experiment,
  study,
  profile,
  network,
  model,
  cluster,
  node,
  device,
  measured,
  anchor,
  rules
};

/// Tells the kind of a document by its keys and those of what it changes (`base:`); what looks like
/// nothing else is an experiment.
DocumentKind kind_of(const config::Value& document, const config::Catalogue& catalogue);

/// The word of 'pipewright schema' for a kind.
std::string_view name_of(DocumentKind kind);

}  // namespace pipewright::cli
