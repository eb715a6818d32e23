#include "config/catalogue.hpp"
#include "experiment/experiment.hpp"

namespace pipewright {
namespace {

config::Value file_of(const config::Value& path) {
  return config::parse_file(config::path_seen_from(path.text, path.mark), path.mark.where());
}

/// Puts what the file of an anchor holds in the place of its path, under what changes it; the path
/// is the `base` then. `none` is no anchor.
void read_anchor_file(config::Value& experiment) {
  config::Value* anchor = experiment.find("anchor");
  if (!anchor) return;
  const config::Value* base = anchor->is_map() ? anchor->find("base") : nullptr;
  if (anchor->is_null() || (anchor->is_scalar() && anchor->text == "none")) {
    std::erase_if(experiment.entries, [](const auto& entry) { return entry.key == "anchor"; });
  } else if (anchor->is_scalar()) {
    *anchor = file_of(*anchor);
  } else if (base && base->is_scalar()) {
    config::Value whole = file_of(*base);
    std::erase_if(anchor->entries, [](const auto& entry) { return entry.key == "base"; });
    config::merge(whole, *anchor);
    *anchor = std::move(whole);
  }
}

}  // namespace

config::Value resolve(const config::Value& document, const config::Catalogue& catalogue) {
  config::Value resolved = catalogue.resolve("experiments", document);
  if (!resolved.is_map())
    resolved.fail("an experiment must be a map with model, cluster, schedule");
  if (config::Value* model = resolved.find("model")) {
    const bool synthetic = model->is_map() && model->find("synthetic");
    if (!synthetic) *model = catalogue.resolve("models", *model);
  }
  read_anchor_file(resolved);
  return resolved;
}

}  // namespace pipewright
