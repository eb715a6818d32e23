#include "workload/cnn/builder.hpp"

#include <fmt/format.h>

namespace pipewright::cnn {

using Kind = CnnStep::Kind;

Builder::Builder(const CnnShape& shape, const WorkloadOptions& options)
    : shape_(shape),
      options_(options),
      dtype_(activation_dtype(options.precision)),
      element_(element_bytes(dtype_)),
      samples_(options.micro_batch),
      strips_(options.strips),
      at_(shape.input) {}

double Builder::bytes(const Image& image) const {
  return element_ * static_cast<double>(samples_) * local(image).size();
}

double Builder::boundary() const {
  double sum = bytes(at_);
  for (const auto& [name, image] : saved_) sum += bytes(image);
  if (previous_) sum += bytes(*previous_);
  return sum;
}

Operations Builder::windowed(const CnnStep& step) {
  Operations operations;
  exchange_rows(step, operations);
  operations.push_back(step.kind == Kind::conv ? convolution(step) : pool(step));
  return operations;
}

/// Turns what each device has of the sums of its strips into the sums of its samples.
Operations Builder::pooled() {
  Operations operations{global_pool()};
  share_samples(CollectiveKind::reduce_scatter, CollectiveKind::all_gather, operations);
  return operations;
}

Operations Builder::flattened(const CnnStep& step) {
  Operations operations;
  share_samples(CollectiveKind::all_to_all, CollectiveKind::all_to_all, operations);
  operations.push_back(dense(step));
  return operations;
}

Operations Builder::run(const CnnStep& step) {
  if (step.kind == Kind::cell) return cell(step);
  previous_.reset();
  switch (step.kind) {
    case Kind::conv:
    case Kind::max_pool:
    case Kind::average_pool:
      return windowed(step);
    case Kind::up_conv:
      return {up_convolution(step)};
    case Kind::global_pool:
      return pooled();
    case Kind::dense:
      return flattened(step);
    case Kind::attention:
      return {attention(step)};
    case Kind::residual:
      return residual(step);
    case Kind::branches:
      return branches(step);
    case Kind::unit:
      return run_all(step.parts[0]);
    case Kind::save:
      save(step);
      return {};
    case Kind::concat:
      return {concat(step)};
    case Kind::cell:
      break;
  }
  return {};
}

Operations Builder::run_all(const std::vector<CnnStep>& steps) {
  Operations operations;
  for (const CnnStep& step : steps) append(operations, run(step));
  return operations;
}

/// One tensor from `parts` of the same size together: read, written, and in the backward pass the
/// gradients of what they were made from added up.
Operation Builder::joined(const Image& sum, double parts) const {
  Operation operation;
  operation.forward = {
      stream(Kernel::elementwise, Direction::forward, parts * bytes(sum), bytes(sum))};
  operation.input_gradient = {
      stream(Kernel::elementwise, Direction::input_gradient, 2 * bytes(sum), bytes(sum))};
  operation.saved = bytes(sum);
  return operation;
}

Operations Builder::residual(const CnnStep& step) {
  const Image input = at_;
  Operations operations = run_all(step.parts[0]);
  const Image body = at_;
  at_ = input;
  append(operations, run_all(step.parts[1]));
  if (at_ != body) {
    step.source.fail(fmt::format(
        "the residual's body gives {}x{}x{} and its shortcut {}x{}x{}: they cannot be added",
        body.channels, body.height, body.width, at_.channels, at_.height, at_.width));
  }
  operations.push_back(joined(body, 2));
  return operations;
}

Operations Builder::branches(const CnnStep& step) {
  const Image input = at_;
  Operations operations;
  Image together;
  for (const std::vector<CnnStep>& branch : step.parts) {
    at_ = input;
    append(operations, run_all(branch));
    if (together.channels > 0 && (at_.height != together.height || at_.width != together.width)) {
      step.source.fail(fmt::format("branches of {}x{} and {}x{} cannot stand side by side",
                                   together.height, together.width, at_.height, at_.width));
    }
    together = {together.channels + at_.channels, at_.height, at_.width};
  }
  at_ = together;
  operations.push_back(joined(together, 1));
  return operations;
}

void Builder::save(const CnnStep& step) {
  if (!saved_.emplace(step.name, at_).second)
    step.source.fail(fmt::format("'{}' is saved already", step.name));
}

Operation Builder::concat(const CnnStep& step) {
  const auto found = saved_.find(step.name);
  if (found == saved_.end())
    step.source.fail(fmt::format("nothing was saved as '{}' before", step.name));
  const Image saved = found->second;
  if (saved.height != at_.height || saved.width != at_.width) {
    step.source.fail(fmt::format("'{}' is {}x{} and cannot stand beside {}x{}", step.name,
                                 saved.height, saved.width, at_.height, at_.width));
  }
  at_.channels += saved.channels;
  saved_.erase(found);
  return joined(at_, 1);
}

}  // namespace pipewright::cnn
