// The accounts of the mean device as one bar of letters, which adds up to an iteration.
#pragma once

#include <string>
#include <vector>

#include "result/result.hpp"

namespace pipewright {

/// A place of the accounts that is not empty in the mean or on the rank beside it.
struct AccountPlace {
  char letter;  ///< in the bar
  std::string name;
  Time mean, beside;
  const Time* gain = nullptr;  ///< what an iteration gains without it, where that is known
};

/// Returns the places in their order: compute, exposed communication, host, bubble.
std::vector<AccountPlace> places_of(const Metrics& metrics, const Breakdown& beside);

/// Returns a bar of `width` letters between bars; the letters of each place are its share, rounded
/// so that they add up. Empty where the accounts are.
std::string accounts_bar(const Metrics& metrics, size_t width);

}  // namespace pipewright
