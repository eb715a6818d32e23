// After nemo/collections/llm/gpt/model/base.py, nemo/lightning/pytorch/{optim,plugins} (NeMo 2.5).
#include "convert/nemo/recipe_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/python_document.hpp"

namespace pipewright::nemo {
namespace {

using config::Value;

Value* find_below(Value& root, const char* part, const char* inner) {
  Value* found = root.is_map() ? root.find(part) : nullptr;
  return found && found->is_map() ? found->find(inner) : nullptr;
}

/// The first argument of `part` is called `name`.
void name_first(Value* part, const char* name) {
  Value* arguments = part && part->is_map() ? part->find("_args_") : nullptr;
  if (!arguments || arguments->items.empty() || part->find(name)) return;
  part->set(name, arguments->items.front());
  // Others that have no name are tokenizers, and say no size.
  std::erase_if(part->entries, [](const auto& entry) { return entry.key == "_args_"; });
}

void lift_overlap(Value& root) {
  Value* callbacks = find_below(root, "trainer", "callbacks");
  if (!callbacks) return;
  if (callbacks->is_map()) {
    Value list;
    list.kind = Value::Kind::list;
    list.mark = callbacks->mark;
    list.items.push_back(*callbacks);
    *callbacks = std::move(list);
  }
  if (!callbacks->is_list()) return;
  const auto found = std::ranges::find_if(callbacks->items, [](const Value& item) {
    return job::class_of(item) == "MegatronCommOverlapCallback";
  });
  if (found == callbacks->items.end()) return;
  Value callback = *found;
  callbacks->items.erase(found);
  root.set("comm_overlap", std::move(callback));
}

void lift_precision(Value& root, const job::Source& source, job::Import& import) {
  Value* plugins = find_below(root, "trainer", "plugins");
  if (!plugins || !plugins->is_list()) return;
  Value precision;
  for (const Value& plugin : plugins->items) {
    const std::string name = job::class_of(plugin);
    if (name == "MegatronMixedPrecision")
      precision = plugin;
    else
      job::refuse(source, import, plugin.mark.where(),
                  fmt::format("the plugin {} is not known", name.empty() ? plugin.text : name));
  }
  *plugins = std::move(precision);
}

/// What a model has that nobody gives an optimizer.
void add_optimizer(Value& root) {
  const Value* optimizer = root.find("optim");
  if (optimizer && !optimizer->is_null()) return;
  Value settings, optim;
  settings.set("optimizer", config::scalar("adam"));
  settings.set("use_distributed_optimizer", job::truth(true));
  optim.set("config", std::move(settings));
  root.set("optim", std::move(optim));
}

}  // namespace

void name_parts(Value& root, const job::Source& source, job::Import& import) {
  if (!root.is_map()) return;
  name_first(root.find("model"), "config");
  name_first(root.find("optim"), "config");
  lift_overlap(root);
  lift_precision(root, source, import);
  name_first(find_below(root, "trainer", "plugins"), "precision");
  if (root.find("trainer")) add_optimizer(root);
}

}  // namespace pipewright::nemo
