#include "workload/cnn/builder.hpp"

#include <fmt/format.h>

namespace pipewright::cnn {

using Kind = CnnStep::Kind;

Builder::Builder(const CnnShape& shape, const WorkloadOptions& options) : path_(shape, options) {}

double Builder::boundary() const {
  double sum = path_.share().bytes(at());
  for (const auto& [name, image] : saved_) sum += path_.share().bytes(image);
  if (previous_) sum += path_.share().bytes(*previous_);
  return sum;
}

Operations Builder::run(const CnnStep& step) {
  if (step.kind == Kind::cell) return cell(step);
  previous_.reset();
  switch (step.kind) {
    case Kind::conv:
    case Kind::max_pool:
    case Kind::average_pool:
      return path_.windowed(step);
    case Kind::up_conv:
      return path_.up_convolved(step);
    case Kind::global_pool:
      return path_.pooled();
    case Kind::dense:
      return path_.flattened(step);
    case Kind::attention:
      return path_.attended(step);
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
  path_.go_to(in);
  return run_all(steps);
}

Operations Builder::residual(const CnnStep& step) {
  const Image input = at();
  Operations operations = run_all(step.parts[0]);
  const Image body = at();
  append(operations, run_from(input, step.parts[1]));
  if (at() != body) {
    step.source.fail(fmt::format(
        "the residual's body gives {}x{}x{} and its shortcut {}x{}x{}: they cannot be added",
        body.channels, body.height, body.width, at().channels, at().height, at().width));
  }
  operations.push_back(joined(path_.share(), body, 2));
  operations.back().saved = 0;  // it takes the place of the body's, which nobody needs any more
  return operations;
}

Operations Builder::branches(const CnnStep& step) {
  const Image input = at();
  Operations operations;
  Image together;
  for (const std::vector<CnnStep>& branch : step.parts) {
    append(operations, run_from(input, branch));
    if (together.channels > 0 && (at().height != together.height || at().width != together.width)) {
      step.source.fail(fmt::format("branches of {}x{} and {}x{} cannot stand side by side",
                                   together.height, together.width, at().height, at().width));
    }
    together = {together.channels + at().channels, at().height, at().width};
  }
  path_.go_to(together);
  operations.push_back(joined(path_.share(), together, 1));
  return operations;
}

void Builder::save(const CnnStep& step) {
  if (!saved_.emplace(step.name, at()).second)
    step.source.fail(fmt::format("'{}' is saved already", step.name));
}

Operation Builder::concat(const CnnStep& step) {
  const auto found = saved_.find(step.name);
  if (found == saved_.end())
    step.source.fail(fmt::format("nothing was saved as '{}' before", step.name));
  const Image saved = found->second;
  if (saved.height != at().height || saved.width != at().width) {
    step.source.fail(fmt::format("'{}' is {}x{} and cannot stand beside {}x{}", step.name,
                                 saved.height, saved.width, at().height, at().width));
  }
  path_.set_channels(at().channels + saved.channels);
  saved_.erase(found);
  return joined(path_.share(), at(), 1);
}

Operations Builder::run_cut(const CnnStep& step, const Cut& cut) {
  CnnStep own = step;
  own.channels /= cut.out;
  const CnnStep* last = path_.last();
  if (last == &step) path_.set_last(&own);
  path_.share().samples = path_.share().micro_batch / cut.samples;
  path_.set_channels(at().channels / cut.in);
  Operations operations = run(own);
  path_.set_channels(at().channels * cut.out);
  path_.set_last(last);
  return operations;
}

}  // namespace pipewright::cnn
