// A schedule of fixed times through the product's lowering and engine, for tests.
#pragma once

#include "engine/engine.hpp"
#include "program/lower.hpp"
#include "support/longest_path.hpp"

namespace pipewright::test {

inline Segments one_segment(Time time) { return {{{Work{.fixed = time}}, std::nullopt}}; }

inline std::vector<StageWork> stages_of(const Schedule& schedule, const Times& times) {
  std::vector<StageWork> stages;
  for (int stage = 0; stage < schedule.stages; ++stage) {
    for (int slice = 0; slice < schedule.slices; ++slice) {
      StageWork& work = stages.emplace_back();
      work.forward = one_segment(times.forward[stage]);
      work.backward = one_segment(times.backward[stage]);
      work.input_gradient = one_segment(times.input_gradient[stage]);
      work.weight_gradient = one_segment(times.weight_gradient[stage]);
      if (times.pair) work.pair = Work{.fixed = *times.pair};
    }
  }
  return stages;
}

/// Devices numbered replica by replica, then pipeline rank, then tensor rank.
inline Grid grid_of(int pipeline, int tensor = 1, int data = 1) {
  Grid grid{std::vector<Mesh>(static_cast<size_t>(pipeline), {.tensor = tensor, .data = data})};
  for (int device = 0; device < pipeline * tensor * data; ++device)
    grid.meshes[static_cast<size_t>(device / tensor % pipeline)].devices.push_back(device);
  return grid;
}

/// Fixed times for compute, `hop` for every message and collective, none for moving activations.
inline std::vector<Time> fixed_durations(const Program& program, Time hop) {
  std::vector<Time> durations;
  for (const Op& op : program.ops) {
    const OpType& type = program.types[op.type];
    Time time;
    const bool message = type.kind == OpKind::transfer && !type.moves_activation;
    if (message || type.kind == OpKind::collective) time = hop;
    for (const Work& work : program.works_of(type)) time += work.fixed;
    durations.push_back(time);
  }
  return durations;
}

struct Simulated {
  Program program;
  std::vector<Time> durations;
  Timeline timeline;
  Time makespan() const {
    Time end;
    for (const Span& span : timeline.spans) end = std::max(end, span.end);
    return end;
  }
};

inline Simulated run_schedule(const Schedule& schedule, const Times& times,
                              SendMode mode = SendMode::async, Bytes buffer = {}, int data = 1) {
  Simulated run;
  run.program = lower({.schedule = schedule,
                       .stages = stages_of(schedule, times),
                       .send_mode = mode,
                       .send_buffer = buffer,
                       .grid = grid_of(schedule.ranks(), 1, data)});
  run.durations = fixed_durations(run.program, times.hop);
  run.timeline = simulate(run.program, run.durations);
  return run;
}

}  // namespace pipewright::test
