#include "convert/job/given_model.hpp"

#include "config/catalogue.hpp"
#include "convert/job/transformer_map.hpp"
#include "workload/model/hugging_face/hugging_face.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {
namespace {

using config::Value;

Value transformer_of(const Value& value) {
  const Model model = read_model(value);
  if (model.cnn || model.recurrent || model.layers)
    value.fail("this is no transformer, which the job trains");
  return transformer_map(model.transformer);
}

}  // namespace

std::optional<Value> given_transformer(const Source& source) {
  if (!source.model.empty())
    return transformer_of(config::Catalogue().resolve("models", config::scalar(source.model)));
  for (const Further& further : source.further) {
    if (!further.text || !further.word.ends_with(".json")) continue;
    const Value value = config::parse(*further.text, further.word);
    if (!value.is_map() || !is_hugging_face(value))
      throw InputError({further.word, 1, 1}, "this is no config.json of Hugging Face");
    return transformer_of(value);
  }
  return std::nullopt;
}

}  // namespace pipewright::job
