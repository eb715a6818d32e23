// What links have in common that join like to like.
#pragma once

#include <string>

namespace pipewright {

/// Returns the tier of a link by its name: "device 704 > leaf 88" and "leaf 0 > device 3" are of
/// one.
std::string tier_of(const std::string& link);

}  // namespace pipewright
