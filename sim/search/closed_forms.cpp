#include "search/closed_forms.hpp"

#include <algorithm>

#include "search/chain.hpp"

namespace pipewright::search {

ClosedForms::ClosedForms(const Problem& problem) : problem_(problem), given_(given_by(problem)) {
  const config::Value* overlap = problem.experiment.find("overlap");
  draws_ = problem.experiment.find("variation") != nullptr;
  overlaps_ = overlap && overlap->find("tensor") && overlap->find("tensor")->text != "none";
}

bool ClosedForms::knows(const Candidate& c) const {
  if (overlaps_ || !c.stages.empty() || !c.layers.empty() || !c.placement.empty() ||
      c.recomputed > 0 || c.sbp)
    return false;
  if (!c.settings.empty() || !given_.by_layers || !given_.whole_sequences) return false;
  for (const char* key : {"stragglers", "iterations", "offload", "placement"}) {
    const config::Value* value = problem_.experiment.find(key);
    if (value && value->text != "none") return false;
  }
  const config::Value* parallel = problem_.experiment.find("parallel");
  const bool groups = parallel && (parallel->find("shard") || parallel->find("replicate"));
  if (c.zero == 3 && groups) return false;
  return Pipeline::of(c.schedule).has_value();
}

PipelineForms* ClosedForms::forms(const Candidate& c) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] =
      forms_.try_emplace({c.tensor, c.micro, c.recompute, c.context, c.expert, c.zero == 3});
  if (is_new) {
    try {
      found->second = std::make_unique<PipelineForms>(layer_table(problem_, c));
    } catch (const Misfit&) {
      // The model does not allow these degrees: no candidate with them can be.
    }
  }
  return found->second.get();
}

std::optional<Estimated> ClosedForms::of(const Candidate& c) {
  PipelineForms* forms = this->forms(c);
  const std::optional<Pipeline> pipeline = Pipeline::of(c.schedule);
  if (!forms || !pipeline) return std::nullopt;
  const PipelineShape shape{.pipeline = *pipeline,
                            .ranks = c.pipeline,
                            .data = c.data,
                            .zero = c.zero,
                            .micro_batches = given_.global / (int64_t{c.data} * c.micro),
                            .balanced = c.split != Split::even,
                            .devices = problem_.pool};
  if (!shape.misfit().empty()) return std::nullopt;
  try {
    const ClosedForm form = forms->of(shape);
    return Estimated{c, form.time, form.held, draws_ ? Time{} : form.least, form.fits()};
  } catch (const Misfit&) {
    return std::nullopt;
  }
}

}  // namespace pipewright::search
