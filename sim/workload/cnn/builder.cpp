#include "workload/cnn/builder.hpp"

#include <fmt/format.h>

#include "workload/cnn/strips.hpp"

namespace pipewright::cnn {

using Kind = CnnStep::Kind;

Builder::Builder(const CnnShape& shape, const WorkloadOptions& options)
    : shape_(shape), share_(make_share(options)), at_(shape.input) {}

double Builder::boundary() const {
  double sum = share_.bytes(at_);
  for (const auto& [name, image] : saved_) sum += share_.bytes(image);
  if (previous_) sum += share_.bytes(*previous_);
  return sum;
}

Operations Builder::windowed(const CnnStep& step) {
  const bool is_product = step.kind == Kind::conv;
  Operations operations = exchange_rows(share_, step, at_, first_);
  const Around images{at_, windows(step, at_, is_product ? step.channels : at_.channels), first_};
  operations.push_back(is_product ? convolution(share_, shape_, step, images)
                                  : pool(share_, step, images));
  if (is_product) first_ = false;
  at_ = images.out;
  return operations;
}

Operations Builder::up_convolved(const CnnStep& step) {
  const Image out{step.channels, at_.height * step.height, at_.width * step.width};
  const Operation operation = up_convolution(share_, step, {at_, out, first_});
  first_ = false;
  at_ = out;
  return {operation};
}

/// Turns what each device has of the sums of its strips into the sums of its samples.
Operations Builder::pooled() {
  const Image out{at_.channels, 1, 1};
  Operations operations{global_pool(share_, {at_, out})};
  at_ = out;
  append(operations, share_samples({CollectiveKind::reduce_scatter, CollectiveKind::all_gather},
                                   at_, first_, share_));
  return operations;
}

Operations Builder::flattened(const CnnStep& step) {
  Operations operations =
      share_samples({CollectiveKind::all_to_all, CollectiveKind::all_to_all}, at_, first_, share_);
  const Around images{{at_.channels * at_.height * at_.width, 1, 1}, {step.channels, 1, 1}, first_};
  operations.push_back(dense(share_, images, &step != last_));
  first_ = false;
  at_ = images.out;
  return operations;
}

Operations Builder::attended(const CnnStep& step) {
  const Operation operation = attention(share_, step, at_);
  at_.channels /= 3;
  return {operation};
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
      return up_convolved(step);
    case Kind::global_pool:
      return pooled();
    case Kind::dense:
      return flattened(step);
    case Kind::attention:
      return attended(step);
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

Operations Builder::run_from(const Image& in, const std::vector<CnnStep>& steps) {
  at_ = in;
  return run_all(steps);
}

Operations Builder::residual(const CnnStep& step) {
  const Image input = at_;
  Operations operations = run_all(step.parts[0]);
  const Image body = at_;
  append(operations, run_from(input, step.parts[1]));
  if (at_ != body) {
    step.source.fail(fmt::format(
        "the residual's body gives {}x{}x{} and its shortcut {}x{}x{}: they cannot be added",
        body.channels, body.height, body.width, at_.channels, at_.height, at_.width));
  }
  operations.push_back(joined(share_, body, 2));
  return operations;
}

Operations Builder::branches(const CnnStep& step) {
  const Image input = at_;
  Operations operations;
  Image together;
  for (const std::vector<CnnStep>& branch : step.parts) {
    append(operations, run_from(input, branch));
    if (together.channels > 0 && (at_.height != together.height || at_.width != together.width)) {
      step.source.fail(fmt::format("branches of {}x{} and {}x{} cannot stand side by side",
                                   together.height, together.width, at_.height, at_.width));
    }
    together = {together.channels + at_.channels, at_.height, at_.width};
  }
  at_ = together;
  operations.push_back(joined(share_, together, 1));
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
  return joined(share_, at_, 1);
}

Operations Builder::run_cut(const CnnStep& step, const Cut& cut) {
  CnnStep own = step;
  own.channels /= cut.out;
  const CnnStep* last = last_;
  if (last_ == &step) last_ = &own;
  share_.samples = share_.micro_batch / cut.samples;
  at_.channels /= cut.in;
  Operations operations = run(own);
  at_.channels *= cut.out;
  last_ = last;
  return operations;
}

}  // namespace pipewright::cnn
