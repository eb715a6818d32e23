// The message of the InputError that `action` throws, for tests of bad input.
#pragma once

#include <string>

#include "base/error.hpp"

namespace pipewright::test {

template <class F>
std::string error_of(F&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace pipewright::test
