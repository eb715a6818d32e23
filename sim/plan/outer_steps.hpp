// Training on sites that meet every so many steps (DiLoCo, arXiv 2311.08105; streaming DiLoCo,
// 2501.18512): what they exchange, and what each device keeps for it.
//
// A site is a block of neighbouring replicas. Its devices share out the outer optimizer's work as
// ZeRO does: each keeps, exchanges and steps 1 / r of what it holds, of r replicas that hold the
// same. For n weights of that share and b bytes a number that is sent:
//   difference  reads the weights as they were at the last exchange (4) and as they are, writes b
//   exchange    all-reduces b n bytes over the devices at the same place of every site
//   step        reads b, the weights of the last exchange and the state (4 a moment), writes both
//               and the weights; beside later steps of the site it mixes with what these made and
//               reads it
//   gather      where replicas hold whole weights, each gathers the others' shares
//   memory      4 n and the state; beside later steps also what is under way of one fragment
// A fragment k of F has the layers k, k + F, k + 2 F ... of the model.
// One site by itself exchanges and gathers nothing.
// Left out: fragments of neighbouring layers, outer state on hosts, sites that join late.
#pragma once

#include "plan/staged_model.hpp"
#include "program/lower.hpp"
#include "result/memory_use.hpp"

namespace pipewright {

/// Returns how many sites `outer` makes of the mesh. Throws Misfit where its replicas or experts
/// are not the same on each.
int sites_of(const Experiment& experiment, const Mesh& mesh);

/// Throws where this version does not model outer steps beside something else that the experiment
/// asks for.
void require_meetable(const Experiment& experiment, const Grid& grid,
                      const schedule::Schedule& schedule);

/// Returns the outer steps, by fragment and stage; empty without them.
std::vector<std::vector<OuterWork>> outer_works(const StagedModel& model);

/// Adds what one device of a pipeline rank keeps for outer steps.
void add_outer_state(const StagedModel& model, int rank, MemoryUse& use);

}  // namespace pipewright
