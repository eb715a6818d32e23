#include "cli/document_kind.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/error.hpp"
#include "workload/model/hugging_face/hugging_face.hpp"

namespace pipewright::cli {
namespace {

bool has_any(const config::Value& document, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return document.find(key) != nullptr; });
}

/// Tells whether a document says that it is of this schema, of any version.
bool has_schema(const config::Value& document, std::string_view name) {
  const config::Value* schema = document.find("schema");
  return schema && schema->text.starts_with(name);
}

bool is_profile(const config::Value& document) {
  return document.find("origin") || has_schema(document, "pipewright.profile/");
}

bool is_model(const config::Value& document) {
  const config::Value* layers = document.find("layers");
  return has_any(document, {"transformer", "cnn", "recurrent"}) || (layers && layers->is_list()) ||
         is_hugging_face(document);
}

/// Returns the kind of a document that says by its own keys what it is, also where it changes
/// something else.
std::optional<DocumentKind> kind_of_whole(const config::Value& document) {
  if (has_any(document, {"experiment", "vary", "cases"})) return DocumentKind::study;
  if (is_profile(document)) return DocumentKind::profile;
  if (has_schema(document, "pipewright.network/")) return DocumentKind::network;
  if (has_schema(document, "pipewright.measured/")) return DocumentKind::measured;
  if (has_schema(document, "pipewright.anchor/")) return DocumentKind::anchor;
  if (has_any(document, {"warm_up", "steady", "drain", "slots", "priority"}))
    return DocumentKind::rules;
  if (has_any(document, {"model", "cluster", "schedule", "parallel", "batch", "trace", "traffic",
                         "peers", "strategy"}))
    return DocumentKind::experiment;
  return std::nullopt;
}

/// Keys that several kinds have are asked for after those that tell these kinds apart.
std::optional<DocumentKind> kind_by_keys(const config::Value& document) {
  if (const std::optional<DocumentKind> kind = kind_of_whole(document)) return kind;
  if (is_model(document)) return DocumentKind::model;
  if (has_any(document, {"groups", "node", "link", "latency_matrix", "bandwidth_matrix"}))
    return DocumentKind::cluster;
  if (has_any(document, {"device", "interconnect"})) return DocumentKind::node;
  if (has_any(document, {"devices", "nodes"})) return DocumentKind::cluster;
  if (has_any(document, {"flops", "memory", "memory_bandwidth"})) return DocumentKind::device;
  return std::nullopt;
}

/// Finds the kind by what `document` changes, whatever kind of the catalogue has that.
std::optional<DocumentKind> kind_by_base(const config::Value& document,
                                         const config::Catalogue& catalogue) {
  for (const char* kind : {"models", "clusters", "nodes", "devices", "profiles", "experiments"}) {
    try {
      return kind_by_keys(catalogue.resolve(kind, document));
    } catch (const InputError&) {  // it is in another, or nowhere
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(DocumentKind kind) {
  constexpr std::string_view names[] = {"experiment", "study",   "profile", "network",
                                        "model",      "cluster", "node",    "device",
                                        "measured",   "anchor",  "rules"};
  return names[static_cast<size_t>(kind)];
}

DocumentKind kind_of(const config::Value& document, const config::Catalogue& catalogue) {
  std::optional<DocumentKind> kind = kind_of_whole(document);
  if (!kind && document.find("base")) kind = kind_by_base(document, catalogue);
  if (!kind) kind = kind_by_keys(document);
  return kind.value_or(DocumentKind::experiment);
}

}  // namespace pipewright::cli
