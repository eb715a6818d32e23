// A document that is passed on and not read: who opens it includes config/value.hpp.
#pragma once

#include <memory>

namespace pipewright::config {

struct Value;

class Document {
 public:
  Document();
  Document(Value value);
  operator const Value&() const { return *value_; }
  const Value& value() const { return *value_; }

 private:
  std::shared_ptr<const Value> value_;
};

}  // namespace pipewright::config
