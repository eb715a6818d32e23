// Schedules as a user's own data: a rules file (rules.md) instead of a recompiled program.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// Limits that keep a rules file from filling the memory and from running for ever: the passes of
/// all micro-batches on all stages, and the operations in expressions, which are granted by the
/// number of pieces.
struct RulesLimits {
  int64_t pieces = 20'000'000, steps = 1'000'000'000;
};

/// The schedule of `spec`, a map {rules: FILE or the rules themselves, option: ...}, complete and
/// consistent. A relative FILE is looked for beside the file that names it, then where the program
/// was started. Throws InputError for what is wrong in the file, at its own line, and Misfit for
/// a shape that the file's `require` excludes.
Schedule build_from_rules(const Shape& shape, const config::Value& spec,
                          const RulesLimits& limits = {});

}  // namespace pipewright::schedule
