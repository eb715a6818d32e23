// Experiments that say what happens themselves, in place of a model, a plan and a schedule.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "study/experiment.hpp"

namespace pipewright {
namespace {

using config::Entry;
using config::Fields;
using config::Value;

/// Everything else in the document is about what `key` replaces.
void refuse_others(const Value& document, std::string_view key) {
  const std::array<std::string_view, 6> known = {"description", "source",     "cluster",
                                                 "network",     "stragglers", key};
  for (const Entry& entry : document.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    throw InputError(entry.mark.where(),
                     fmt::format("'{}' means nothing beside '{}'", entry.key, key));
  }
}

Value read_trace(const Value& value) {
  const Fields fields(value, "a trace", {"goal", "chakra"});
  if (const Value* chakra = fields.find("chakra"))
    chakra->fail("a Chakra trace cannot be simulated by this version");
  const Value& file = fields.at("goal");
  config::as_text(file, "the path of a GOAL file");
  return file;
}

}  // namespace

void read_replacement(Experiment& e) {
  if (const Value* trace = e.document.find("trace")) {
    refuse_others(e.document, "trace");
    e.trace = read_trace(*trace);
  } else if (const Value* traffic = e.document.find("traffic")) {
    refuse_others(e.document, "traffic");
    e.traffic = *traffic;
  }
  if (e.network == "packet" && !e.traffic)
    e.at("network").fail(
        "'packet' carries the flows of a traffic experiment ('traffic:' in place of model, "
        "parallel "
        "and schedule); a training iteration and a trace need 'flow' or 'alpha-beta'");
}

}  // namespace pipewright
