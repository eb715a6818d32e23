#include "convert/job/model_constants.hpp"

#include <fmt/format.h>

#include "convert/job/settings.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {

using config::Value;

namespace {

/// Adds a constant for each argument of a text such as "--qk-clip-alpha 0.5 --use-mup".
void add_arguments(const ModelConstant& constant, std::vector<ModelConstant>& all) {
  const size_t first = all.size();
  for (const std::string_view word : interop::words_of(constant.said.text))
    if (word.starts_with("--") || all.size() == first)
      all.push_back({constant.what, constant.key, config::scalar(word, constant.said.mark)});
    else
      all.back().said.text += ' ' + std::string(word);
}

}  // namespace

std::string value_of(const ModelConstant& constant) { return written(constant.said); }

std::string text_of(const ModelConstant& constant) {
  return fmt::format("{} {}", constant.key, value_of(constant));
}

std::vector<ModelConstant> model_constants(const Experiment& experiment) {
  const Value* model = experiment.document.find("model");
  if (!model || !model->is_map()) return {};
  std::vector<ModelConstant> all;
  for (ModelConstant& constant : constants_of(*model, experiment.model_or_fail().transformer))
    if (constant.what == Constant::megatrons_arguments)
      add_arguments(constant, all);
    else
      all.push_back(std::move(constant));
  return all;
}

Value constants_map(const std::vector<ModelConstant>& constants) {
  Value map;
  for (const ModelConstant& constant : constants) {
    Value* said = map.find(constant.key);
    if (said && constant.what == Constant::megatrons_arguments)
      said->text += ' ' + constant.said.text;
    else
      map.set(constant.key, constant.said);
  }
  return map;
}

}  // namespace pipewright::job
