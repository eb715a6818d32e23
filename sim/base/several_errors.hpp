// Several mistakes of the user that are told at once.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace pipewright {

/// What is refused, where it may be more than one thing, and what another experiment would not be
/// refused for. what() and message() are those of the first.
class SeveralErrors : public Misfit {
 public:
  /// Adds to `first` what `lines` say beyond it; each is complete, as what() is.
  SeveralErrors(const InputError& first, const std::vector<std::string>& lines);

  /// Returns a complete line for each.
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

/// Throws all that is in `found`; returns where there is nothing.
void throw_together(const std::vector<Misfit>& found);

/// Returns the complete lines of an error, one for each thing that is refused.
std::vector<std::string> lines_of(const InputError& error);

/// Returns what() of the first of them with what the others say behind it.
std::string in_one_line(const InputError& error);

}  // namespace pipewright
