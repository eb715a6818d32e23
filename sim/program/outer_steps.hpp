// Lowers what follows a step where sites meet (arXiv 2311.08105): each device makes the outer
// gradients of its share, the devices at the same place of every site all-reduce them, the outer
// optimizer steps, and sites gather the new weights where their replicas hold whole ones.
#pragma once

#include "program/lowered_rank.hpp"
#include "program/updates.hpp"

namespace pipewright {

/// Adds what a member computes: the outer gradients of all its stages, then their outer steps.
void add_outer_step(ProgramDraft& draft, LoweredRank& rank, Updates& updates, int step,
                    uint32_t member);

/// Adds what the members of a stage send each other.
void meet_sites(ProgramDraft& draft, const Updates& updates, int step, int stage);

}  // namespace pipewright
