// What is taken out of a document so that the rest of it can be read.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/value.hpp"

namespace pipewright {

/// What lost an entry or item, and the key of an entry.
struct Removal {
  config::Mark from;
  std::string key;
  bool for_its_value = false;
};

/// Tells whether the place is that of the mark.
bool stands_at(const config::Mark& mark, const Where& where);

/// Removes the innermost entry or item that stands at `where` and adds it to `removals`. Returns
/// false where there is none.
bool remove_at(config::Value& value, const Where& where, std::vector<Removal>& removals);

}  // namespace pipewright
