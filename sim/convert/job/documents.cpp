// After hydra's basic override grammar (documentation of Hydra 1.3, "Basic Override syntax") and
// OmegaConf's interpolation.
#include "convert/job/documents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/python_yaml.hpp"
#include "convert/job/settings.hpp"
#include "interop/words.hpp"

namespace pipewright::job {
namespace {

using config::Value;

std::string_view base_name(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string folder_of(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash + 1));
}

void erase_path(Value& root, std::string_view path) {
  Value* map = &root;
  for (size_t dot = path.find('.'); map && dot != std::string_view::npos; dot = path.find('.')) {
    map = map->is_map() ? map->find(path.substr(0, dot)) : nullptr;
    path.remove_prefix(dot + 1);
  }
  if (map && map->is_map())
    std::erase_if(map->entries, [&](const config::Entry& entry) { return entry.key == path; });
}

void apply_word(const std::string& word, Value& root) {
  const size_t equals = word.find('=');
  if (word.starts_with('~')) {
    erase_path(root,
               std::string_view(word).substr(1, equals == std::string::npos ? equals : equals - 1));
    return;
  }
  const size_t start = word.find_first_not_of('+');
  if (equals == std::string::npos || start >= equals)
    throw InputError(fmt::format("'{}' is no file, and no KEY=VALUE", word));
  Value value = config::parse(std::string_view(word).substr(equals + 1), word);
  const config::Mark mark = value.mark;
  config::set_path(root, std::string_view(word).substr(start, equals - start), std::move(value),
                   word, mark);
}

std::string resolved(const Source& source, const Value& value) {
  std::string text = value.text;
  size_t from = 0;
  while ((from = text.find("${", from)) != std::string::npos) {
    const size_t end = text.find('}', from);
    if (end == std::string::npos) return text;
    const std::string inner = text.substr(from + 2, end - from - 2);
    const size_t colon = inner.find(':');
    const std::string name = inner.substr(0, colon);
    const auto given = source.given.find(name);
    if (given == source.given.end() && colon == std::string::npos)
      value.fail(fmt::format("{} is taken from outside: give it by --define {}=VALUE",
                             text.substr(from, end - from + 1), name));
    const std::string with = given != source.given.end() ? given->second : inner.substr(colon + 1);
    text.replace(from, end - from + 1, with);
    from += with.size();
  }
  return text;
}

/// Returns the path that "${a.b}" names, seen from the map at `folder`; nothing for other texts.
std::optional<std::string> reference_of(const std::string& text, std::string folder) {
  if (!text.starts_with("${") || text.find('}') != text.size() - 1) return std::nullopt;
  std::string path = text.substr(2, text.size() - 3);
  if (path.find_first_of(":${},") != std::string::npos || path.empty()) return std::nullopt;
  if (path[0] != '.') return path;
  path.erase(0, 1);
  for (; !path.empty() && path[0] == '.'; path.erase(0, 1))
    folder.resize(folder.find_last_of('.') == std::string::npos ? 0 : folder.find_last_of('.'));
  return folder.empty() ? path : folder + '.' + path;
}

void resolve_scalar(Value& value, const Value& root, std::string folder, int depth);

/// Splits "4, ${a:1,2}" at the comma that is in no brackets.
std::optional<std::pair<std::string, std::string>> two_of(std::string_view arguments) {
  int open = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    open += arguments[i] == '{' ? 1 : arguments[i] == '}' ? -1 : 0;
    if (arguments[i] == ',' && open == 0)
      return std::pair(std::string(arguments.substr(0, i)), std::string(arguments.substr(i + 1)));
  }
  return std::nullopt;
}

/// Returns the whole number that an argument of an expression is, or nothing.
std::optional<int64_t> operand(std::string text, const Value& root, const std::string& folder,
                               int depth) {
  text.erase(0, text.find_first_not_of(' '));
  Value value = config::scalar(text);
  resolve_scalar(value, root, folder, depth);
  const auto number = interop::number_of<int64_t>(value.text);
  constexpr int64_t most = 2'000'000'000;
  return number && *number >= -most && *number <= most ? number : std::nullopt;
}

/// Returns what `name` makes of two numbers, as the resolvers of NeMo do; nothing for others.
std::optional<int64_t> computed(std::string_view name, int64_t a, int64_t b) {
  if (name == "multiply") return a * b;
  if (name == "sum" || name == "add") return a + b;
  if (b <= 0 || a < 0) return std::nullopt;
  if (name == "int_div" || name == "divide_floor") return a / b;
  if (name == "divide_ceil") return (a + b - 1) / b;
  return std::nullopt;
}

/// Returns the value of "${multiply:4, ${.hidden_size}}" and its like; nothing for other texts.
std::optional<int64_t> expression_of(const std::string& text, const Value& root,
                                     const std::string& folder, int depth) {
  const size_t colon = text.find(':');
  if (!text.starts_with("${") || !text.ends_with('}') || colon == std::string::npos || depth > 8)
    return std::nullopt;
  const auto two = two_of(std::string_view(text).substr(colon + 1, text.size() - colon - 2));
  if (!two) return std::nullopt;
  const auto a = operand(two->first, root, folder, depth + 1);
  const auto b = operand(two->second, root, folder, depth + 1);
  return a && b ? computed(std::string_view(text).substr(2, colon - 2), *a, *b) : std::nullopt;
}

/// Returns what `path` names. NeMo's launcher puts a file below the name of its stage.
const Value* referred(const Value& root, std::string_view path) {
  if (const Value* found = value_at(root, path)) return found;
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos || root.find(path.substr(0, dot))) return nullptr;
  return value_at(root, path.substr(dot + 1));
}

/// Follows a reference to a scalar, through at most eight others.
void resolve_scalar(Value& value, const Value& root, std::string folder, int depth) {
  for (; depth < 8; ++depth) {
    if (const auto number = expression_of(value.text, root, folder, depth)) {
      value.text = std::to_string(*number);
      return;
    }
    const auto path = reference_of(value.text, folder);
    const Value* found = path && root.is_map() ? referred(root, *path) : nullptr;
    if (!found || found == &value || found->is_map() || found->is_list()) return;
    const config::Mark mark = value.mark;
    const Value copy = *found;
    value = copy;
    value.mark = mark;
    if (!value.is_scalar()) return;
    const size_t dot = path->find_last_of('.');
    folder = dot == std::string::npos ? std::string() : path->substr(0, dot);
  }
}

void resolve_below(Value& value, const Value& root, const std::string& folder) {
  if (value.is_scalar()) resolve_scalar(value, root, folder, 0);
  for (Value& item : value.items) resolve_below(item, root, folder);
  for (config::Entry& entry : value.entries) {
    const std::string inner = folder.empty() ? entry.key : folder + '.' + entry.key;
    resolve_below(entry.value, root, entry.value.is_map() ? inner : folder);
  }
}

}  // namespace

Value parse_job(const Source& source, Import& import) {
  return config::parse_as_python(source.text, source.file, &import.assumed);
}

std::optional<Value> find_document(const Source& source, const std::string& name,
                                   const config::Mark& mark) {
  for (const Further& further : source.further)
    if (further.text && base_name(further.word) == base_name(name))
      return config::parse_as_python(*further.text, further.word, nullptr);
  if (!source.read) return std::nullopt;
  const std::string path = name.starts_with('/') ? name : folder_of(mark.where().file) + name;
  const auto text = source.read(path);
  if (!text) return std::nullopt;
  return config::parse_as_python(*text, path, nullptr);
}

void apply_words(const Source& source, Value& root) {
  for (const Further& further : source.further)
    if (!further.text) apply_word(further.word, root);
}

void resolve_variables(const Source& source, Value& value) {
  if (value.is_scalar() && value.text.find("${") != std::string::npos)
    value.text = resolved(source, value);
  for (Value& item : value.items) resolve_variables(source, item);
  for (config::Entry& entry : value.entries) resolve_variables(source, entry.value);
}

void resolve_references(Value& root) {
  const Value before = root;
  resolve_below(root, before, "");
}

}  // namespace pipewright::job
