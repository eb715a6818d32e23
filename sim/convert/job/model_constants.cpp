#include "convert/job/model_constants.hpp"

#include <fmt/format.h>

#include "convert/job/settings.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {

using config::Value;

std::string value_of(const ModelConstant& constant) { return written(constant.said); }

std::string text_of(const ModelConstant& constant) {
  return fmt::format("{} {}", constant.key, value_of(constant));
}

std::vector<ModelConstant> model_constants(const Experiment& experiment) {
  const Value* model = experiment.document.find("model");
  if (!model || !model->is_map()) return {};
  return constants_of(*model, experiment.model_or_fail().transformer);
}

Value constants_map(const std::vector<ModelConstant>& constants) {
  Value map;
  for (const ModelConstant& constant : constants) map.set(constant.key, constant.said);
  return map;
}

}  // namespace pipewright::job
