#include "config/catalogue.hpp"
#include "experiment/experiment.hpp"

namespace pipewright {
namespace {

/// Puts what the file of an anchor holds in the place of its path. `none` is no anchor.
void read_anchor_file(config::Value& experiment) {
  config::Value* anchor = experiment.find("anchor");
  if (!anchor) return;
  if (anchor->is_null() || (anchor->is_scalar() && anchor->text == "none"))
    std::erase_if(experiment.entries, [](const auto& entry) { return entry.key == "anchor"; });
  else if (anchor->is_scalar())
    *anchor = config::parse_file(config::path_seen_from(anchor->text, anchor->mark),
                                 anchor->mark.where());
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
