// Towers of images as configurations describe them: a row for each kind in front of each family.
#pragma once

#include <span>

#include "workload/model/hugging_face/keys.hpp"

namespace pipewright::hugging_face {

/// A configuration's tower, and what is around it.
struct TowerConfig {
  const Value& vision;  ///< vision_config
  const Value& whole;   ///< where the projector's keys stand
  const Value& text;    ///< the transformer map so far
};

struct Tower {
  std::string_view model;  ///< model_type of the whole
  std::string_view type;   ///< of vision_config; empty: whatever it is
  const char* defaults;    ///< what all have, as a map `vision`
  const char* otherwise;
  void (*extend)(const TowerConfig& found, Value& tower);
};
std::span<const Tower> towers();

// What towers say beyond the names that all have: vision_keys.cpp.
void set_gemma3(const TowerConfig& found, Value& tower);
void set_gemma4(const TowerConfig& found, Value& tower);
void set_paligemma(const TowerConfig& found, Value& tower);
void set_glm4v(const TowerConfig& found, Value& tower);
void set_idefics3(const TowerConfig& found, Value& tower);
void set_internvl(const TowerConfig& found, Value& tower);
void set_kimi(const TowerConfig& found, Value& tower);
void set_llama4(const TowerConfig& found, Value& tower);
void set_qwen2_vl(const TowerConfig& found, Value& tower);
void set_qwen2_5_vl(const TowerConfig& found, Value& tower);
void set_qwen3_vl(const TowerConfig& found, Value& tower);
void set_mistral3(const TowerConfig& found, Value& tower);
void set_llava(const TowerConfig& found, Value& tower);
void set_clip(const TowerConfig& found, Value& tower);

}  // namespace pipewright::hugging_face
