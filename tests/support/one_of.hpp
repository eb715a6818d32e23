// What tests that draw experiments choose from.
#pragma once

#include <initializer_list>
#include <random>

namespace pipewright::test {

/// One of `all`, each as likely as another.
template <class T>
T one_of(std::mt19937_64& random, std::initializer_list<T> all) {
  return *(all.begin() + random() % all.size());
}

}  // namespace pipewright::test
