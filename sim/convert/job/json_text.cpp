#include "convert/job/json_text.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace pipewright::job {
namespace {

using config::Value;
using Json = nlohmann::ordered_json;

Json json_of(const Value& value);

Json of_scalar(const Value& value) {
  if (value.quoted) return value.text;
  const Json literal = parse_ordered_json(value.text);
  const bool is_one = literal.is_number() || literal.is_boolean() || literal.is_null();
  return is_one ? literal : Json(value.text);
}

Json json_of(const Value& value) {
  if (value.is_null()) return nullptr;
  if (value.is_scalar()) return of_scalar(value);
  Json json = value.is_map() ? Json::object() : Json::array();
  for (const config::Entry& entry : value.entries) json[entry.key] = json_of(entry.value);
  for (const Value& item : value.items) json.push_back(json_of(item));
  return json;
}

}  // namespace

std::string to_json(const Value& document) { return dump_json(json_of(document), 2); }

}  // namespace pipewright::job
