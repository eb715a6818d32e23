#include "workload/model/hugging_face/text_model.hpp"

#include <fmt/format.h>

namespace pipewright::hugging_face {
namespace {

using namespace std::string_view_literals;

/// Where models of several kinds of input have their text model.
constexpr Name text_name = {"text",
                            {"text_config", "llm_config", "language_config", "thinker_config"}};

/// How many modules predict further tokens.
constexpr Name predicting = {
    "predict", {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"}};

}  // namespace

Value text_of(const Value& value) {
  const Value* text = find_any(value, text_name);
  if (!text || !text->is_map()) return value;
  Value whole;
  whole.mark = value.mark;
  for (const config::Entry& entry : value.entries)
    if (&entry.value != text) whole.set(entry.key, entry.value);
  config::merge(whole, *text);
  return text_of(whole);
}

bool is_nested(const Value& value) {
  const Value* text = find_any(value, text_name);
  return text && text->is_map();
}

std::string left_out_of(const Value& value, bool has_tower) {
  std::string parts;
  const Value text = text_of(value);
  for (const char* key : {"vision_config", "img_processor", "audio_config", "talker_config"})
    if (find_given(text, key) && !(key == "vision_config"sv && has_tower))
      parts += fmt::format("{}{}", parts.empty() ? "" : ", ", key);
  if (!parts.empty())
    return fmt::format("the model's text part only: what {} describes is left out", parts);
  const Value* modules = find_any(text, predicting);
  if (modules && modules->text != "0" && !value.find("predict"))
    return "the modules that predict further tokens are left out, as the library does; 'predict' "
           "adds them";
  const Value* type = find_given(text, "model_type");
  if (type && type->text == "longcat_flash")
    return "the exchange of the experts is simulated within its own block: that it may run beside "
           "the second attention and MLP (arXiv 2509.01322) is left out";
  return "";
}

}  // namespace pipewright::hugging_face
