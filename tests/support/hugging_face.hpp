// Hugging Face configurations as models, for tests.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "config/catalogue.hpp"
#include "transformers.hpp"
#include "workload/model/model.hpp"
#include "workload/model/model_layers.hpp"

namespace pipewright::test {

inline Model hugging_face(const std::string& json) {
  return read_model(config::Catalogue().resolve("models", config::parse(json, "config.json")));
}

/// Parameters of the whole model.
inline double parameters_of(const std::string& json) {
  return parameters(model_layers(hugging_face(json), {.sequence = 2048}, {}));
}

/// The same with the tower that reads images of `size` pixels; 0: as wide as the model's all are.
inline double parameters_with_images(const std::string& json, int64_t size = 0) {
  return parameters(model_layers(hugging_face(json), {.sequence = 8192, .images = {1, size}}, {}));
}

/// A configuration, and the parameters that were published with it.
struct Published {
  const char* name;
  const char* json;
  double parameters;
};

/// Holds parameters to 0.1 %: biases of norms and heads, and tables of unused positions, are less.
inline void expect_published(std::span<const Published> models) {
  for (const Published& model : models)
    EXPECT_NEAR(parameters_of(model.json) / model.parameters, 1, 0.001) << model.name;
}

/// Weights of grouped-query attention with `a` and `k` heads of d; `of_queries` 2 with a gate.
inline double attention_weights(double h, double a, double k, double d, double of_queries = 1) {
  return h * d * (of_queries * a + 2 * k) + a * d * h;
}

/// Weights of a gated MLP, and of a mixture of `count` of them with its router.
inline double mlp_weights(double h, double f) { return 3 * h * f; }
inline double expert_weights(double h, double count, double f) {
  return count * mlp_weights(h, f) + count * h;
}

}  // namespace pipewright::test
