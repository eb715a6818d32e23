// What must be there: only our own bug could leave it out.
#pragma once

#include <optional>
#include <utility>

#include "base/error.hpp"

namespace pipewright {

/// Returns the value. Aborts with `message` where there is none.
template <class T>
const T& required(const std::optional<T>& value, const char* message) {
  if (!value) abort_with(message);
  return *value;
}

template <class T>
T& required(std::optional<T>& value, const char* message) {
  if (!value) abort_with(message);
  return *value;
}

template <class T>
T required(std::optional<T>&& value, const char* message) {
  if (!value) abort_with(message);
  return *std::move(value);
}

}  // namespace pipewright
