#include "workload/transformer/experts_shape.hpp"

#include <fmt/format.h>

#include "workload/transformer/shape_limits.hpp"

namespace pipewright {
namespace {

/// Reads what limits a token to some groups of experts.
void read_groups(const config::Fields& fields, Experts& experts) {
  experts.groups = fields.integer("groups", 1, 1, experts.count);
  experts.active_groups = fields.integer("active_groups", experts.groups, 1, experts.groups);
  if (experts.count % experts.groups != 0)
    fields.at("groups").fail(
        fmt::format("{} experts do not divide into {} groups", experts.count, experts.groups));
  const int64_t open = experts.active_groups * (experts.count / experts.groups) + experts.zero;
  if (experts.active > open)
    fields.at("active_groups")
        .fail(fmt::format("{} groups hold {} experts, fewer than the {} that a token passes "
                          "through",
                          experts.active_groups, open, experts.active));
}

}  // namespace

Experts read_experts(const config::Value& value, int64_t ffn, int64_t layers) {
  const config::Fields fields(
      value, "experts",
      {"count", "active", "shared", "ffn", "every", "dense", "groups", "active_groups", "imbalance",
       "capacity", "shared_ffn", "shared_gate", "bias", "latent", "latent_norm", "zero"});
  fields.at("count");
  Experts experts;
  experts.count = fields.integer("count", 0, 1, most_width);
  experts.zero = fields.integer("zero", 0, 0, most_width);
  experts.active = fields.integer("active", 1, 1, experts.choices());
  experts.shared = fields.integer("shared", 0, 0, most_width);
  experts.latent = fields.integer("latent", 0, 1, most_width);
  experts.ffn = fields.integer("ffn", ffn, 1, most_width);
  experts.every = fields.integer("every", 1, 1, layers);
  experts.dense = fields.integer("dense", 0, 0, layers);
  read_groups(fields, experts);
  experts.imbalance = fields.real("imbalance", 1, 1, 1e6);
  experts.capacity = fields.real("capacity", 0, 0.01, 1e6);
  experts.shared_ffn = fields.integer("shared_ffn", 0, 1, most_width);
  experts.shared_gate = fields.boolean("shared_gate", false);
  experts.bias = fields.boolean("bias", false);
  experts.latent_norm = fields.boolean("latent_norm", false);
  if (experts.latent_norm && experts.latent == 0)
    fields.at("latent_norm").fail("'latent_norm' is of experts with the key 'latent'");
  return experts;
}

}  // namespace pipewright
