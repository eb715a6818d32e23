#include "schedule/rules/weights.hpp"

#include <fmt/format.h>

namespace pipewright::schedule::rules {
namespace {

/// The optimizer steps of one stage on one rank, as its order goes on. A step is made when the last
/// gradient of its micro-batches is done, and not before the step that precedes it.
class StepsOfStage {
 public:
  StepsOfStage(const std::vector<int>& micro_batches, int slices, int step_every, int total)
      : step_every_(step_every),
        gradients_left_(static_cast<size_t>((total + step_every - 1) / step_every)) {
    for (int b : micro_batches) gradients_left_[b / step_every] += slices;
    skip_made();
  }
  void gradient(int micro_batch) {
    --gradients_left_[micro_batch / step_every_];
    skip_made();
  }
  int made() const { return made_; }

 private:
  void skip_made() {
    while (made_ < static_cast<int>(gradients_left_.size()) && gradients_left_[made_] <= 0) ++made_;
  }
  int step_every_;
  std::vector<int> gradients_left_;  // by step
  int made_ = 0;
};

}  // namespace

Weights read_weights(const config::Value& value, const Names& names) {
  const config::Fields fields = fields_of(value, "weights", {"step_every", "version"});
  Weights weights{.source = value};
  if (const config::Value* every = fields.find("step_every"))
    weights.step_every = parse_expression(*every, names);
  const config::Value& version = fields.at("version");
  if (version.is_scalar()) {
    for (auto& of_pass : weights.version) of_pass = parse_expression(version, names);
    return weights;
  }
  const config::Fields by_pass = fields_of(version, "version", {"F", "B", "I", "W"});
  for (Pass pass : all_passes) {
    if (const config::Value* given = by_pass.find(pass_names[static_cast<int>(pass)]))
      weights.version[static_cast<int>(pass)] = parse_expression(*given, names);
  }
  return weights;
}

void set_versions(const Weights& weights, Context& context, const Layout& layout,
                  Schedule& schedule) {
  for (int i = 0; i < schedule.ranks(); ++i) {
    std::vector<StepsOfStage> steps;  // by chunk
    std::vector<size_t> chunk_of(static_cast<size_t>(layout.copies) * layout.stages);
    for (const Chunk& chunk : layout.chunks[static_cast<size_t>(i)]) {
      chunk_of[static_cast<size_t>(chunk.copy) * layout.stages + chunk.stage] = steps.size();
      steps.emplace_back(layout.micro_batches[chunk.copy], layout.slices, schedule.step_every,
                         schedule.total_micro_batches());
    }
    for (Action& action : schedule.order[i]) {
      const auto& version = weights.version[static_cast<int>(action.pass)];
      if (!version) {
        weights.source.fail(fmt::format("says nothing of the version that {} reads",
                                        pass_names[static_cast<int>(action.pass)]));
      }
      set_pass(context, layout, action);
      StepsOfStage& of_stage =
          steps[chunk_of[static_cast<size_t>(layout.copy_of[action.micro_batch]) * layout.stages +
                         action.stage]];
      const int64_t reads = context.evaluate(*version);
      if (reads < 0 || reads > of_stage.made()) {
        context.fail(version->source, 0,
                     fmt::format("{} reads version {}, but by then rank {} has made {}",
                                 to_string(action, layout.slices > 1), reads, i, of_stage.made()));
      }
      action.weight_version = static_cast<int>(reads);
      if (action.pass == Pass::backward || action.pass == Pass::weight_gradient)
        of_stage.gradient(action.micro_batch);
    }
  }
}

}  // namespace pipewright::schedule::rules
