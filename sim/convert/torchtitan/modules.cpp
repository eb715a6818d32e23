// After generate_llm_fqn_per_model_part of torchtitan/distributed/pipeline_parallel.py: the first
// stage has tok_embeddings, the last one norm and output, and layers are counted from 0.
#include "convert/torchtitan/modules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipewright::torchtitan {
namespace {

using config::Value;

/// Counts the layers of a stage; `next` is the layer that comes first.
int layers_of(const Value& part, int64_t& next) {
  if (!part.is_list()) part.fail("must be a list of the names of modules");
  int count = 0;
  for (const Value& name : part.items) {
    if (!config::as_text(name).starts_with("layers.")) continue;
    if (name.text != fmt::format("layers.{}", next))
      name.fail(fmt::format("'{}' is out of order: layers.{} comes next", name.text, next));
    ++next;
    ++count;
  }
  return count;
}

}  // namespace

std::vector<int> read_modules(const Value& parts, int64_t layers) {
  std::vector<int> counts;
  int64_t next = 0;
  if (!parts.is_list()) parts.fail("must be a list of lists of the names of modules");
  for (const Value& part : parts.items) counts.push_back(layers_of(part, next));
  if (next != layers)
    parts.fail(fmt::format("names {} layers, and the model has {}", next, layers));
  return counts;
}

std::string module_names(const std::vector<int>& counts) {
  std::vector<std::string> parts;
  int layer = 0;
  for (size_t stage = 0; stage < counts.size(); ++stage) {
    std::vector<std::string> names;
    if (stage == 0) names.emplace_back("\"tok_embeddings\"");
    for (int i = 0; i < counts[stage]; ++i) names.push_back(fmt::format("\"layers.{}\"", layer++));
    if (stage + 1 == counts.size()) names.insert(names.end(), {"\"norm\"", "\"output\""});
    parts.push_back(fmt::format("  [{}],\n", fmt::join(names, ", ")));
  }
  return fmt::format("[\n{}]", fmt::join(parts, ""));
}

}  // namespace pipewright::torchtitan
