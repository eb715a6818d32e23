#include "convert/job/toml.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace pipewright::job {
/// toml++ 3.3 asserts of some texts that are no TOML that they are.
[[noreturn]] inline void fail_assertion() { throw std::logic_error("this is no TOML"); }
}  // namespace pipewright::job

#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : pipewright::job::fail_assertion())
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace pipewright::job {
namespace {

using config::Mark;
using config::Value;

class Conversion {
 public:
  explicit Conversion(const std::string& file) : file_(std::make_shared<const std::string>(file)) {}

  Value map(const toml::table& table) const {
    Value value;
    value.kind = Value::Kind::map;
    value.mark = mark(table);
    for (const auto& [key, node] : table)
      value.entries.push_back({std::string(key.str()), mark_of(key.source()), any(node)});
    // As they stand in the file, not by name.
    std::stable_sort(value.entries.begin(), value.entries.end(),
                     [](const config::Entry& a, const config::Entry& b) {
                       return std::pair(a.mark.line, a.mark.column) <
                              std::pair(b.mark.line, b.mark.column);
                     });
    return value;
  }

 private:
  Mark mark_of(const toml::source_region& region) const {
    return {file_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }
  Mark mark(const toml::node& node) const { return mark_of(node.source()); }

  Value any(const toml::node& node) const {
    if (const toml::table* table = node.as_table()) return map(*table);
    if (const toml::array* array = node.as_array()) {
      Value value;
      value.kind = Value::Kind::list;
      value.mark = mark(node);
      for (const toml::node& item : *array) value.items.push_back(any(item));
      return value;
    }
    Value value = config::scalar(text(node), mark(node));
    value.quoted = node.is_string();
    return value;
  }

  static std::string text(const toml::node& node) {
    if (const auto* string = node.as_string()) return string->get();
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
    if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
    return "a date";
  }

  std::shared_ptr<const std::string> file_;
};

}  // namespace

Value read_toml(std::string_view text, const std::string& file) {
  try {
    return Conversion(file).map(toml::parse(text, std::string_view(file)));
  } catch (const toml::parse_error& error) {
    const toml::source_position& at = error.source().begin;
    throw InputError({file, static_cast<int>(at.line), static_cast<int>(at.column)},
                     fmt::format("this is no TOML: {}", error.description()));
  } catch (const std::logic_error& error) {
    throw InputError({file, 1, 1}, error.what());
  }
}

}  // namespace pipewright::job
