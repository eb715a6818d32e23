// Python's operators on values that are known.
#pragma once

#include "interop/python/value.hpp"

namespace pipewright::interop::python {

/// Returns `left op right`, with "and" and "or" left out; nothing where it is not known, or would
/// not fit.
std::optional<Value> operated(std::string_view op, const Value& left, const Value& right,
                              Heap& heap);

/// Returns `op value`, or nothing where it is not known.
std::optional<Value> operated(std::string_view op, const Value& value);

/// Tells whether two values are equal, or nothing where that is not known.
std::optional<bool> equal(const Value& left, const Value& right);

}  // namespace pipewright::interop::python
