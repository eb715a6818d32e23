#include "config/catalogue.hpp"
#include "experiment/experiment.hpp"

namespace pipewright {

config::Value resolve(const config::Value& document, const config::Catalogue& catalogue) {
  config::Value resolved = catalogue.resolve("experiments", document);
  if (!resolved.is_map())
    resolved.fail("an experiment must be a map with model, cluster, schedule");
  if (config::Value* model = resolved.find("model")) {
    const bool synthetic = model->is_map() && model->find("synthetic");
    if (!synthetic) *model = catalogue.resolve("models", *model);
  }
  if (config::Value* anchor = resolved.find("anchor"))
    *anchor = catalogue.resolve("anchors", *anchor);
  return resolved;
}

}  // namespace pipewright
