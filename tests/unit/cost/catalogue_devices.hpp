// Devices of the catalogue that is compiled in, for tests.
#pragma once

#include "config/catalogue.hpp"
#include "topology/device.hpp"

namespace pipewright::test {

inline const config::Catalogue& compiled_in() {
  static const config::Catalogue catalogue;
  return catalogue;
}

/// The device of the catalogue that is named so.
inline Device catalogue_device(const char* name) {
  return read_device(config::scalar(name), compiled_in());
}

}  // namespace pipewright::test
