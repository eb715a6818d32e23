#include "experiment/anchor.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiment/options.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

/// Runs that nothing explains widen the variances of logarithms by the square of their errors.
constexpr double most_covariance = 1e4;

Value six_digits(double value) { return config::scalar(fmt::format("{:.6g}", value)); }

AnchorParts read_factors(const Value& value) {
  const Fields fields(value, "factors", keys::factors);
  AnchorParts factors;
  for (size_t part = 0; part < factors.size(); ++part)
    factors[part] = config::as_number(fields.at(anchor_part_names[part]), 1e-3, 1e3);
  return factors;
}

std::array<AnchorParts, 3> read_covariance(const Value& value) {
  std::array<AnchorParts, 3> covariance;
  if (!value.is_list() || value.items.size() != 9)
    value.fail("'covariance' must be a list of 9 numbers, row by row");
  for (size_t i = 0; i < 9; ++i)
    covariance[i / 3][i % 3] = config::as_number(value.items[i], -most_covariance, most_covariance);
  for (size_t i = 0; i < 9; ++i) {
    const double here = covariance[i / 3][i % 3], mirrored = covariance[i % 3][i / 3];
    if (i % 4 == 0 && here < 0) value.items[i].fail("a variance must be at least 0");
    if (std::abs(here - mirrored) > 1e-9)
      value.items[i].fail("must be the covariance of the same two, the other way round");
  }
  return covariance;
}

}  // namespace

Anchor read_anchor(const Value& value) {
  const Fields fields(value, "an anchor", keys::anchor);
  config::as_choice(fields.at("schema"), choices::anchor_schema);
  return {.framework = config::as_text(fields.at("framework"), "a framework"),
          .device = config::as_text(fields.at("device"), "a device"),
          .runs = static_cast<int>(config::as_int(fields.at("runs"), 1, 1000000)),
          .nodes = config::as_number(fields.at("nodes"), 1, 1048576),
          .factors = read_factors(fields.at("factors")),
          .covariance = read_covariance(fields.at("covariance"))};
}

Value anchor_document(const Anchor& anchor) {
  Value document, factors, covariance;
  covariance.kind = Value::Kind::list;
  for (size_t part = 0; part < 3; ++part) {
    factors.set(anchor_part_names[part], six_digits(anchor.factors[part]));
    for (const double one : anchor.covariance[part]) covariance.items.push_back(six_digits(one));
  }
  document.set("schema", config::scalar("pipewright.anchor/1"));
  document.set("framework", config::scalar(anchor.framework));
  document.set("device", config::scalar(anchor.device));
  document.set("runs", config::number(anchor.runs));
  document.set("nodes", six_digits(anchor.nodes));
  document.set("factors", std::move(factors));
  document.set("covariance", std::move(covariance));
  return document;
}

Value anchor_document(const AnchorFit& fit) {
  Value document = anchor_document(fit.anchor);
  Value& measured = document.set("measured", Value{.kind = Value::Kind::list});
  for (const AnchoredRun& run : fit.runs) {
    Value& one = measured.items.emplace_back();
    one.set("name", config::scalar(run.name)).quoted = true;
    one.set("measured_s", six_digits(run.measured_s));
    one.set("predicted_s", six_digits(run.predicted_s));
    one.set("anchored_s", six_digits(run.anchored_s));
  }
  return document;
}

}  // namespace pipewright
