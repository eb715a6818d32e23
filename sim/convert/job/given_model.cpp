#include "convert/job/given_model.hpp"

#include <fmt/format.h>

#include "config/catalogue.hpp"
#include "convert/job/transformer_map.hpp"
#include "workload/model/hugging_face/hugging_face.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {
namespace {

using config::Value;

Model transformer_of(const Value& value) {
  Model model = read_model(value);
  if (model.cnn || model.recurrent || model.layers)
    value.fail("this is no transformer, which the job trains");
  return model;
}

std::optional<Model> model_beside(const Source& source) {
  if (!source.model.empty())
    return transformer_of(config::Catalogue().resolve("models", config::scalar(source.model)));
  for (const Further& further : source.further) {
    if (!further.text || !further.word.ends_with(".json")) continue;
    const Value value = config::parse(*further.text, further.word);
    if (!value.is_map() || !is_hugging_face(value))
      throw InputError({further.word, 1, 1}, "this is no config.json of Hugging Face");
    return transformer_of(value);
  }
  if (source.written_model) return transformer_of(*source.written_model);
  return std::nullopt;
}

}  // namespace

std::optional<Value> given_transformer(const Source& source) {
  const std::optional<Model> model = model_beside(source);
  if (!model) return std::nullopt;
  return transformer_map(model->transformer);
}

std::optional<Value> given_model(const Source& source) {
  const std::optional<Model> model = model_beside(source);
  if (!model) return std::nullopt;
  Value map;
  if (model->sequence) map.set("sequence", config::number(*model->sequence));
  map.set("transformer", transformer_map(model->transformer));
  return map;
}

void take_models_sequence(const Source& source, Import& import) {
  const Value& model = *import.experiment.find("model");
  const auto sequence = read_model(config::Catalogue().resolve("models", model)).sequence;
  if (!sequence)
    throw InputError({source.file, 1, 1},
                     "nothing here says how long sequences are: --define max_seq_length=N says it");
  import.assumed.push_back(fmt::format(
      "sequences have {} tokens, as the model's: --define max_seq_length=N says it", *sequence));
}

}  // namespace pipewright::job
