#include "convert/job/given_model.hpp"

#include <fmt/format.h>

#include "config/catalogue.hpp"
#include "convert/job/model_constants.hpp"
#include "convert/job/rescale.hpp"
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

/// The model that is given as it is written: a map of ours, or a Hugging Face configuration.
std::optional<Value> map_beside(const Source& source) {
  if (!source.model.empty())
    return config::Catalogue().resolve("models", config::scalar(source.model));
  for (const Further& further : source.further) {
    if (!further.text || !further.word.ends_with(".json")) continue;
    Value value = config::parse(*further.text, further.word);
    if (!value.is_map() || !is_hugging_face(value))
      throw InputError({further.word, 1, 1}, "this is no config.json of Hugging Face");
    return value;
  }
  return source.written_model;
}

Value constants_in(const Value& map, const Model& model) {
  return constants_map(constants_of(map, model.transformer));
}

}  // namespace

std::optional<Value> given_transformer(const Source& source) {
  const std::optional<Value> map = map_beside(source);
  if (!map) return std::nullopt;
  return transformer_map(transformer_of(*map).transformer);
}

Value given_constants(const Source& source) {
  const std::optional<Value> map = map_beside(source);
  return map ? constants_in(*map, transformer_of(*map)) : Value{};
}

std::optional<Value> given_model(const Source& source) {
  const std::optional<Value> map = map_beside(source);
  if (!map) return std::nullopt;
  const Model model = transformer_of(*map);
  Value out;
  if (model.sequence) out.set("sequence", config::number(*model.sequence));
  out.set("transformer", transformer_map(model.transformer));
  if (Value constants = constants_in(*map, model); !constants.is_null())
    out.set("constants", std::move(constants));
  return out;
}

void take_models_sequence(const Source& source, Import& import) {
  const Value& model = *import.experiment.find("model");
  const auto sequence = read_model(config::Catalogue().resolve("models", model)).sequence;
  if (!sequence)
    throw InputError({source.file, 1, 1},
                     "nothing here says how long sequences are: --define max_seq_length=N says it");
  import.assumed.push_back(
      fmt::format("{}{} tokens, as the model's: --define max_seq_length=N says it", models_sequence,
                  *sequence));
}

}  // namespace pipewright::job
