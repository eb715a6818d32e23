// After Hydra's documentation, "The Defaults List": parts come in order, the document itself where
// _self_ stands, which is first where it does not.
#include "convert/nemo/composition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/python_yaml.hpp"
#include "convert/job/documents.hpp"

namespace pipewright::nemo {
namespace {

using config::Value;

/// A part: the file, and the path in the document that it stands below.
struct Part {
  std::string file, below;
  bool is_optional = false;
};

/// Reads "NAME", or "GROUP: NAME" and "optional GROUP@PLACE: NAME".
Part part_of(const Value& item) {
  if (item.is_scalar()) return {item.text + ".yaml", "", false};
  if (!item.is_map() || item.entries.size() != 1) item.fail("must be NAME or GROUP: NAME");
  std::string group = item.entries[0].key;
  constexpr std::string_view word = "optional ";
  const bool is_optional = group.starts_with(word);
  if (is_optional) group.erase(0, word.size());
  const Value& name = item.entries[0].value;
  if (name.is_null()) return {"", "", true};
  const size_t at = group.find('@');
  const std::string folder = group.substr(0, at);
  std::string below = at == std::string::npos ? folder : group.substr(at + 1);
  if (below == "_global_") below.clear();
  return {folder + '/' + config::as_text(name) + ".yaml", below, is_optional};
}

void add_part(const job::Source& source, const Value& item, job::Import& import, Value& whole) {
  const Part part = part_of(item);
  if (part.file.empty()) return;
  const auto found = job::find_document(source, part.file, item.mark);
  if (!found && part.is_optional) return;
  if (!found) {
    job::refuse(
        source, import, item.mark.where(),
        fmt::format("'{}' of the defaults is packaged: give it as a further FILE", part.file));
    return;
  }
  Value below;
  if (part.below.empty())
    below = *found;
  else
    config::set_path(below, part.below, *found, part.below, item.mark);
  config::merge(whole, below);
}

}  // namespace

Value compose(const job::Source& source, job::Import& import) {
  Value self = config::parse_as_python(source.text, source.file, nullptr);
  if (!self.is_map()) throw InputError({source.file, 1, 1}, "this is no map of settings");
  Value defaults;
  if (const Value* list = self.find("defaults")) defaults = *list;
  std::erase_if(self.entries, [](const config::Entry& entry) { return entry.key == "defaults"; });
  const auto is_self = [](const Value& item) { return item.text == "_self_"; };
  Value whole;
  whole.kind = Value::Kind::map;
  if (std::none_of(defaults.items.begin(), defaults.items.end(), is_self))
    config::merge(whole, self);
  for (const Value& item : defaults.items)
    if (is_self(item))
      config::merge(whole, self);
    else
      add_part(source, item, import, whole);
  job::apply_words(source, whole);
  job::resolve_references(whole);
  return whole;
}

}  // namespace pipewright::nemo
