#include "python/watched.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/progress.hpp"
#include "base/stop.hpp"

namespace pipewright::python {
namespace {

namespace py = pybind11;

constexpr auto between_looks = std::chrono::milliseconds(50);

constexpr const char* of_many = "runs";

/// How far the work is: what is being done, how much of it, and of how much (0: nobody knows).
struct Reached {
  const char* what;
  int64_t done, total;
  bool operator==(const Reached&) const = default;
};

/// The work and what came of it. Both threads own it.
class Work {
 public:
  Work(const cli::Command& command, cli::Arguments arguments, cli::Environment environment)
      : command_(command), arguments_(std::move(arguments)), environment_(std::move(environment)) {
    environment_.caller = {.stop = &stop_, .progress = [this](int64_t done, int64_t total) {
                             done_ = done;
                             total_ = total;
                           }};
  }

  void run() {
    const StopScope scope(&stop_);
    const ProgressScope told(&step_);
    try {
      outcome_ = command_.ask(arguments_, environment_);
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    end_.notify_all();
  }

  /// Tells whether the work ended within the time between two looks.
  bool wait() {
    std::unique_lock lock(mutex_);
    return end_.wait_for(lock, between_looks, [&] { return ended_; });
  }

  void stop() { stop_ = true; }

  /// The runs where there are many, else the step of the one.
  Reached reached() const {
    if (total_ > 0) return {of_many, done_, total_};
    return {step_.step, static_cast<int64_t>(step_.done), static_cast<int64_t>(step_.total)};
  }

  std::shared_ptr<cli::Outcome> outcome() {
    if (failure_) std::rethrow_exception(failure_);
    return std::move(outcome_);
  }

 private:
  const cli::Command& command_;
  cli::Arguments arguments_;
  cli::Environment environment_;
  std::atomic<bool> stop_ = false;
  std::atomic<int64_t> done_ = 0, total_ = 0;
  Progress step_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::unique_ptr<cli::Outcome> outcome_;
  std::exception_ptr failure_;
};

/// Runs what Python has to do between two looks. Throws what a signal or `progress` raised. A step
/// is told again and again, as its seconds count.
void look_up(const Work& work, const py::object& progress, Reached& told) {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (progress.is_none()) return;
  const Reached now = work.reached();
  if (now.what == of_many && now == told) return;
  told = now;
  progress(now.what, now.done, now.total);
}

}  // namespace

std::shared_ptr<cli::Outcome> ask_watched(const cli::Command& command, cli::Arguments arguments,
                                          cli::Environment environment,
                                          const py::object& progress) {
  Work work(command, std::move(arguments), std::move(environment));
  std::jthread worker([&] { work.run(); });
  Reached told{};
  const auto ended = [&] {
    const py::gil_scoped_release others_run;
    return work.wait();
  };
  try {
    while (!ended()) look_up(work, progress, told);
    look_up(work, progress, told);
  } catch (...) {
    work.stop();
    const py::gil_scoped_release others_run;
    worker.join();
    throw;
  }
  return work.outcome();
}

}  // namespace pipewright::python
