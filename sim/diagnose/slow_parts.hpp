// Parts of a job whose communication is slow: links, ranks, groups.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

/// So many times as long as elsewhere is more than communication of one kind varies.
inline constexpr double notable_part = 1.5;

struct SlowPart {
  std::string who, remedy;
  double lost_s = 0;
  Lengths cure;

  /// The op would take `usual`.
  void add(const Evidence& evidence, OpId body, Time usual);
};

/// Those that lose most of their kind, by name, and `all` of them together.
std::vector<Candidate> slow_parts(std::map<std::string, SlowPart>& parts, SlowPart all,
                                  Aspect aspect = Aspect::message);

}  // namespace pipewright::diagnose
