#include "calibrate/collectives/beside.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <numeric>
#include <thread>

#include "base/error.hpp"

namespace pipewright::calibration {
namespace {

constexpr int element_bytes = sizeof(float);
constexpr int at_once = 4;  // collectives between two looks at who is done

/// The mean of what the ranks say.
double mean_over(transport::Session& session, double own) {
  double sum = 0;
  const auto all = session.exchange(transport::bytes_of(&own, sizeof own));
  for (const std::vector<std::byte>& said : all) {
    double value = 0;
    std::memcpy(&value, said.data(), sizeof value);
    sum += value;
  }
  return sum / static_cast<double>(all.size());
}

/// A kernel that is sampled on a thread of its own; what goes wrong there is thrown by median().
class Sampling {
 public:
  Sampling(const BesideKernel& kernel, const SamplerOptions& options)
      : thread_([this, &kernel, options] {
          try {
            measured_ = sample(kernel.run, options);
          } catch (...) {
            failure_ = std::current_exception();
          }
          done_ = true;
        }) {}

  bool done() const { return done_; }
  double median() {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
    return measured_.median_s;
  }

 private:
  std::atomic<bool> done_ = false;
  Measured measured_;
  std::exception_ptr failure_;
  std::jthread thread_;  // the last: it works on the others
};

/// Seconds of the kernel beside the collective, and the seconds of one collective meanwhile.
struct Beside {
  double kernel_s = 0, collective_s = 0;
};

Beside run_beside(transport::Session& session, Communicator& communicator, Operation operation,
                  int64_t count, const BesideKernel& kernel, const SamplerOptions& options) {
  communicator.run(operation, count, 1);  // makes buffers and connections
  Sampling sampling(kernel, options);
  double taken = 0;
  int calls = 0;
  do {
    taken += communicator.run(operation, count, at_once);
    calls += at_once;
  } while (mean_over(session, sampling.done() ? 1 : 0) < 1);
  return {sampling.median(), taken / calls};
}

BesideTime measure(transport::Session& session, Communicator& communicator, Operation operation,
                   const BesideKernel& kernel, const BesideOptions& options) {
  const auto ranks = static_cast<int>(session.hosts().size());
  const int64_t count = elements(operation, options.bytes, element_bytes, ranks);
  const double alone = mean_over(session, sample(kernel.run, options.sampler).median_s);
  const Beside beside =
      run_beside(session, communicator, operation, count, kernel, options.sampler);
  const double collective_s = mean_over(session, beside.collective_s);
  return {.kernel = kernel.name,
          .what = std::string(name(operation)),
          .alone_s = alone,
          .beside_s = mean_over(session, beside.kernel_s),
          .bytes_per_s = static_cast<double>(count * element_bytes) / collective_s,
          .memory_share = std::min(1.0, kernel.bytes / options.memory_bandwidth / alone)};
}

}  // namespace

std::vector<BesideTime> measure_beside(transport::Session& session, Communicators& communicators,
                                       const std::vector<BesideKernel>& kernels,
                                       const BesideOptions& options) {
  std::vector<int> everyone(session.hosts().size());
  std::iota(everyone.begin(), everyone.end(), 0);
  std::vector<BesideTime> all;
  for (const int channels : options.channels) {
    const auto communicator = communicators.join(everyone, channels);
    for (const Operation operation : options.operations) {
      for (const BesideKernel& kernel : kernels) {
        all.push_back(measure(session, *communicator, operation, kernel, options));
        all.back().channels = channels;
      }
    }
  }
  if (!session.is_first()) all.clear();
  return all;
}

}  // namespace pipewright::calibration
