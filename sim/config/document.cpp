#include "config/document.hpp"

#include "config/value.hpp"

namespace pipewright::config {

Document::Document() : Document(Value{}) {}
Document::Document(Value value) : value_(std::make_shared<const Value>(std::move(value))) {}

}  // namespace pipewright::config
