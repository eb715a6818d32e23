#include "experiment/make_schedule.hpp"

#include <fmt/format.h>

#include "experiment/schedule_name.hpp"
#include "schedule/kinds/kinds.hpp"
#include "schedule/pairing.hpp"

namespace pipewright {
namespace {

/// The schedule's value as a map, so that options can be added.
config::Value as_map(const config::Value& spec) {
  if (!spec.is_scalar()) return spec;
  config::Value map;
  map.mark = spec.mark;
  map.set("name", spec);
  return map;
}

schedule::Schedule build_checked(const schedule::Shape& shape, const config::Value& spec) {
  schedule::Schedule schedule = schedule::build(shape, spec);
  if (schedule.chunks() == 0) {
    spec.misfit(fmt::format("the schedule has {} stages, fewer than its {} ranks", schedule.stages,
                            schedule.ranks()));
  }
  return schedule;
}

const schedule::Kind* kind_of(const config::Value& spec) {
  const config::Value* name = spec.find("name");
  return name && name->is_scalar() ? schedule::find_kind(name->text) : nullptr;
}

}  // namespace

namespace {

/// Returns the schedule's value; where that says nothing of virtual stages, each rank has as many
/// as `strategy` places on its mesh.
config::Value schedule_of_meshes(const Experiment& experiment) {
  const config::Value& given = experiment.at("schedule");
  const int chunks = experiment.meshes.stages_of_a_rank().value_or(1);
  if (chunks == 1) return given;
  config::Value spec = as_map(given);
  const schedule::Kind* kind = kind_of(spec);
  if (!kind || !kind->takes("virtual") || spec.find("virtual")) return given;
  spec.set("virtual", config::number(chunks, spec.mark));
  return spec;
}

schedule::Schedule build_with_virtual(const Experiment& experiment, const schedule::Shape& shape) {
  if (!experiment.parallel.gives_virtual)
    return build_checked(shape, schedule_of_meshes(experiment));
  config::Value spec = as_map(experiment.at("schedule"));
  const int chunks = experiment.parallel.virtual_stages;
  const config::Value* given = spec.find("virtual");
  if (given && config::as_int(*given, 1, 1 << 20) != chunks) {
    given->fail(fmt::format("virtual is {} here and {} in parallel.virtual", given->text, chunks));
  }
  const schedule::Kind* kind = kind_of(spec);
  if (kind && kind->takes("virtual")) spec.set("virtual", config::number(chunks, spec.mark));
  schedule::Schedule schedule = build_checked(shape, spec);
  if (schedule.chunks() != chunks) {
    spec.misfit(fmt::format("parallel.virtual is {}, but {} keeps {} stage(s) on a device", chunks,
                            schedule_name(spec), schedule.chunks()));
  }
  return schedule;
}

}  // namespace

schedule::Schedule make_schedule(const Experiment& experiment, const schedule::Shape& shape) {
  schedule::Schedule schedule = build_with_virtual(experiment, shape);
  if (experiment.overlap.expert == ExpertOverlap::pairs && !schedule::has_pairs(schedule))
    schedule::pair_passes(schedule, experiment.at("schedule"));
  return schedule;
}

void settle_virtual(Experiment& experiment, const schedule::Schedule& schedule) {
  experiment.parallel.virtual_stages = schedule.chunks();
  experiment.parallel.gives_virtual = true;
}

std::vector<schedule::Versions> steady_versions(const Experiment& experiment, schedule::Shape shape,
                                                const schedule::Schedule& schedule) {
  const int enough = schedule::steady_iterations(schedule);
  if (schedule.synchronous || schedule.iterations >= enough)
    return schedule::weight_versions(schedule);
  shape.iterations = enough;
  return schedule::weight_versions(make_schedule(experiment, shape));
}

}  // namespace pipewright
