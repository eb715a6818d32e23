#include "workload/cnn/path.hpp"

#include "workload/cnn/strips.hpp"

namespace pipewright::cnn {

Path::Path(const CnnShape& shape, const WorkloadOptions& options)
    : shape_(shape), share_(make_share(options)), at_(shape.input) {}

Operations Path::windowed(const CnnStep& step) {
  const bool is_product = step.kind == CnnStep::Kind::conv;
  Operations operations = exchange_rows(share_, step, at_, first_);
  const Around images{at_, windows(step, at_, is_product ? step.channels : at_.channels), first_};
  operations.push_back(is_product ? convolution(share_, shape_, step, images)
                                  : pool(share_, step, images));
  if (is_product) first_ = false;
  at_ = images.out;
  return operations;
}

Operations Path::up_convolved(const CnnStep& step) {
  const Image out{step.channels, at_.height * step.height, at_.width * step.width};
  const Operation operation = up_convolution(share_, step, {at_, out, first_});
  first_ = false;
  at_ = out;
  return {operation};
}

/// Turns what each device has of the sums of its strips into the sums of its samples.
Operations Path::pooled() {
  const Image out{at_.channels, 1, 1};
  Operations operations{global_pool(share_, {at_, out})};
  at_ = out;
  append(operations, share_samples({CollectiveKind::reduce_scatter, CollectiveKind::all_gather},
                                   at_, first_, share_));
  return operations;
}

Operations Path::flattened(const CnnStep& step) {
  Operations operations =
      share_samples({CollectiveKind::all_to_all, CollectiveKind::all_to_all}, at_, first_, share_);
  const Around images{{at_.channels * at_.height * at_.width, 1, 1}, {step.channels, 1, 1}, first_};
  operations.push_back(dense(share_, images, &step != last_));
  first_ = false;
  at_ = images.out;
  return operations;
}

Operations Path::attended(const CnnStep& step) {
  const Operation operation = attention(share_, step, at_);
  at_.channels /= 3;
  return {operation};
}

}  // namespace pipewright::cnn
