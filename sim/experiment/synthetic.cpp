#include "experiment/synthetic.hpp"

#include <fmt/format.h>

#include "experiment/options.hpp"

namespace pipewright {
namespace {

SyntheticTime read_time(const config::Value& value) {
  SyntheticTime time;
  time.source = value;
  const config::Value* list = &value;
  if (value.is_map()) {
    list = &config::Fields(value, "a time by slice", {"slices"}).at("slices");
    if (!list->is_list()) list->fail("must be a list with one time a token slice");
    time.form = SyntheticTime::Form::per_slice;
  } else if (value.is_list()) {
    time.form = SyntheticTime::Form::per_stage;
  } else {
    time.values.push_back(config::as_time(value));
    return time;
  }
  if (list->items.empty()) list->fail("must not be empty");
  for (const config::Value& item : list->items) time.values.push_back(config::as_time(item));
  return time;
}

void check_length(const SyntheticTime& time, int stages, int slices) {
  const bool by_stage = time.form == SyntheticTime::Form::per_stage;
  if (time.form == SyntheticTime::Form::share) return;
  const int wanted = by_stage ? stages : slices;
  if (static_cast<int>(time.values.size()) != wanted) {
    time.source.misfit(fmt::format("has {} times, but the schedule has {} {}", time.values.size(),
                                   wanted, by_stage ? "stages" : "token slices"));
  }
}

Segments one_segment(Time time) { return {{{Work{.fixed = time}}, std::nullopt}}; }

/// Weight-gradient part of the backward pass of one stage and slice.
Time weight_gradient_time(const SyntheticModel& model, int stage, int slice, int chunks,
                          int slices) {
  const Time backward = model.backward.of(stage, slice, chunks, slices);
  if (!model.weight_gradient) return divide(backward, 2);
  const Time time = model.weight_gradient->of(stage, slice, chunks, slices);
  if (time > backward) {
    model.weight_gradient->source.fail("weight_gradient is a part of backward, so not longer");
  }
  return time;
}

}  // namespace

Time SyntheticTime::of(int stage, int slice, int chunks, int slices) const {
  switch (form) {
    case Form::share:
      return divide(values[0], static_cast<int64_t>(chunks) * slices);
    case Form::per_stage:
      return values[static_cast<size_t>(stage)];
    case Form::per_slice:
      return values[static_cast<size_t>(slice)];
  }
  return {};
}

SyntheticModel read_synthetic(const config::Value& value) {
  const config::Fields fields(value, "a synthetic model", keys::synthetic);
  SyntheticModel model;
  model.devices = static_cast<int>(config::as_int(fields.at("devices"), 1, 65536));
  model.micro_batches = static_cast<int>(config::as_int(fields.at("microbatches"), 1, 1 << 20));
  model.forward = read_time(fields.at("forward"));
  model.backward = read_time(fields.at("backward"));
  if (const config::Value* v = fields.find("weight_gradient"))
    model.weight_gradient = read_time(*v);
  if (const config::Value* v = fields.find("update")) {
    model.update = read_time(*v);
    if (model.update->form == SyntheticTime::Form::per_slice)
      v->fail("update is a time of a stage: slices have none");
  }
  if (const config::Value* v = fields.find("pair")) model.pair = config::as_time(*v);
  model.activation = fields.bytes("activation", {});
  model.boundary = fields.bytes("boundary", {});
  model.weights = fields.bytes("weights", {});
  return model;
}

std::vector<StageWork> synthetic_stages(const SyntheticModel& model,
                                        const schedule::Schedule& schedule) {
  const int chunks = schedule.chunks(), slices = schedule.slices;
  check_length(model.forward, schedule.stages, slices);
  check_length(model.backward, schedule.stages, slices);
  if (model.weight_gradient) check_length(*model.weight_gradient, schedule.stages, slices);
  std::vector<StageWork> stages;
  for (int stage = 0; stage < schedule.stages; ++stage) {
    for (int slice = 0; slice < slices; ++slice) {
      StageWork& work = stages.emplace_back();
      const Time backward = model.backward.of(stage, slice, chunks, slices);
      const Time weight = weight_gradient_time(model, stage, slice, chunks, slices);
      work.forward = one_segment(model.forward.of(stage, slice, chunks, slices));
      work.backward = one_segment(backward);
      work.input_gradient = one_segment(backward - weight);
      work.weight_gradient = one_segment(weight);
      if (model.pair) {
        work.pair = Work{.fixed = divide(*model.pair, static_cast<int64_t>(chunks) * slices)};
      }
      work.activation = {model.activation.count / chunks / slices};
      work.forward_output = work.backward_output = {model.boundary.count / slices};
    }
  }
  return stages;
}

std::vector<UpdateWork> synthetic_updates(const SyntheticModel& model,
                                          const schedule::Schedule& schedule) {
  std::vector<UpdateWork> updates;
  if (!model.update) return updates;
  check_length(*model.update, schedule.stages, schedule.slices);
  for (int stage = 0; stage < schedule.stages; ++stage) {
    const Time time = model.update->of(stage, 0, schedule.chunks(), 1);
    updates.push_back({.kernels = {Work{.fixed = time}}});
  }
  return updates;
}

schedule::StageCosts synthetic_costs(const SyntheticModel& model, int stages, Time hop) {
  const int chunks = std::max(1, stages / model.devices);
  check_length(model.forward, stages, 1);
  check_length(model.backward, stages, 1);
  schedule::StageCosts costs;
  for (int stage = 0; stage < stages; ++stage) {
    const Time weight = weight_gradient_time(model, stage, 0, chunks, 1);
    costs.forward.push_back(model.forward.of(stage, 0, chunks, 1));
    costs.input_gradient.push_back(model.backward.of(stage, 0, chunks, 1) - weight);
    costs.weight_gradient.push_back(weight);
  }
  costs.hop = hop;
  return costs;
}

}  // namespace pipewright
