// Checks that all ranks are about to run the same thing.
#pragma once

#include <span>
#include "base/error.hpp"
#include "calibrate/transport/session.hpp"
#include "program/program.hpp"

namespace pipewright::live {

/// The identity of what a rank runs: of equal ones all is equal.
struct Identity {
  uint64_t program_file = 0;  ///< of this executable's bytes
  uint64_t program = 0;       ///< of what is to be run, and the times predicted of it
  uint64_t options = 0;       ///< of what else its numbers depend on
  std::string error;          ///< why there is nothing to run, as it is shown
};

uint64_t hash_of_executable();
uint64_t hash_of(const Program& program, std::span<const Time> durations);

/// Of the seed and the learning rate.
uint64_t hash_of(uint64_t seed, double learning_rate);

/// One rank has something else than another: what() is the line for this rank.
struct Disagreement : Failure {
  using Failure::Failure;
};

/// All ranks come here. Throws Disagreement on all of them unless all are the same.
void agree(transport::Session& session, const Identity& own);

}  // namespace pipewright::live
