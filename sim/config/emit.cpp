#include "config/emit.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

namespace pipewright::config {
namespace {

bool all_scalars(const Value& value) {
  for (const Value& item : value.items)
    if (!item.is_scalar() && !item.is_null()) return false;
  return true;
}

void emit(YAML::Emitter& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      out << YAML::Null;
      break;
    case Value::Kind::scalar:
      if (value.quoted) out << YAML::DoubleQuoted;
      out << value.text;
      break;
    case Value::Kind::list:
      if (all_scalars(value)) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Value& item : value.items) emit(out, item);
      out << YAML::EndSeq;
      break;
    case Value::Kind::map:
      out << YAML::BeginMap;
      for (const Entry& entry : value.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
      break;
  }
}

}  // namespace

std::string to_yaml(const Value& value) {
  YAML::Emitter out;
  emit(out, value);
  return std::string(out.c_str()) + "\n";
}

}  // namespace pipewright::config
