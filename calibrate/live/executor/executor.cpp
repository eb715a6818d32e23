#include "calibrate/live/executor/executor.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "calibrate/live/executor/cores.hpp"
#include "engine/engine.hpp"

namespace pipewright::live {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t stop_mark = 1u << 31;

/// Thrown inside lane threads to leave them when the run is over early.
struct Stopped {};

/// Lane-less transfers of one sending rank that are ready to leave.
class Outbox {
 public:
  void push(OpId op) {
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(op);
    }
    changed_.notify_one();
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  /// The next transfer; none once the box is closed and empty.
  OpId pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !ready_.empty(); });
    if (ready_.empty()) return none;
    const OpId op = ready_.front();
    ready_.pop_front();
    return op;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<OpId> ready_;
  bool closed_ = false;
};

class ThreadedRun {
 public:
  ThreadedRun(const Program& program, DeviceWork& work, const ExecutorOptions& options)
      : program_(program),
        work_(work),
        options_(options),
        waits_(std::make_unique<std::atomic<uint32_t>[]>(program.ops.size())),
        ended_(std::make_unique<std::atomic<uint32_t>[]>(program.ops.size())),
        timeline_{std::vector<Span>(program.ops.size()), "cpu"},
        outboxes_(program.ranks.size()) {
    for (OpId op = 0; op < program.ops.size(); ++op) waits_[op] = program.waits[op];
  }

  Timeline run() {
    start_ = Clock::now();
    std::vector<std::thread> outbox_threads;
    for (Outbox& box : outboxes_)
      outbox_threads.emplace_back([this, &box] { guarded([&] { serve(box); }); });
    std::vector<std::thread> lane_threads;
    for (LaneId lane = 0; lane < program_.lanes.size(); ++lane) {
      if (!program_.order(lane).empty())
        lane_threads.emplace_back([this, lane] { guarded([&] { run_lane(lane); }); });
    }
    for (OpId op = 0; op < program_.ops.size(); ++op)
      if (program_.waits[op] == 0) became_ready(op);
    watch();
    for (std::thread& thread : lane_threads) thread.join();
    for (Outbox& box : outboxes_) box.close();
    for (std::thread& thread : outbox_threads) thread.join();
    if (error_) std::rethrow_exception(error_);
    fill_ready(program_, timeline_);
    return std::move(timeline_);
  }

 private:
  Time now() const {
    return nanoseconds(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count());
  }

  template <class F>
  void guarded(F&& body) {
    try {
      body();
    } catch (const Stopped&) {
    } catch (...) {
      stop(std::current_exception());
    }
  }

  /// Keeps the first error and wakes everybody up to leave.
  void stop(std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::move(error);
      stopped_ = true;
    }
    progress_.notify_all();
    // The values change too: a thread that is about to wait for the old one does not.
    for (OpId op = 0; op < program_.ops.size(); ++op) {
      waits_[op].fetch_or(stop_mark);
      ended_[op].fetch_or(stop_mark);
      waits_[op].notify_all();
      ended_[op].notify_all();
    }
    for (Outbox& box : outboxes_) box.close();
  }

  /// Ends the run when nothing has moved for the length of the watchdog.
  void watch() {
    std::unique_lock lock(mutex_);
    size_t seen = 0;
    while (!stopped_ && done_ < program_.ops.size()) {
      const bool moved = progress_.wait_for(
          lock, options_.watchdog, [&] { return stopped_ || done_ == program_.ops.size(); });
      if (moved || done_ > seen) {
        seen = done_;
        continue;
      }
      lock.unlock();
      stop(std::make_exception_ptr(Failure("the run is stuck; " + describe_stuck())));
      lock.lock();
    }
  }

  std::string describe_stuck() const {
    std::vector<bool> ended(program_.ops.size());
    for (OpId op = 0; op < ended.size(); ++op) ended[op] = ended_[op] != 0;
    return describe_deadlock(program_, ended);
  }

  /// Waits until `flag` satisfies `done`, or leaves when the run is stopped.
  template <class F>
  void wait(std::atomic<uint32_t>& flag, F&& done) {
    for (uint32_t value = flag.load(); !done(value); value = flag.load()) {
      if (stopped_) throw Stopped{};
      flag.wait(value);
    }
    if (stopped_) throw Stopped{};
  }

  bool keeps_core_busy(LaneId lane) const {
    return work_.occupies_core() && computes(program_.lanes[lane].stream) &&
           !program_.order(lane).empty();
  }

  /// A lane that computes stays on a core of its own, where there is one for each.
  void choose_core(LaneId own) const {
    if (!keeps_core_busy(own)) return;
    size_t before = 0, all = 0;
    for (LaneId lane = 0; lane < program_.lanes.size(); ++lane) {
      if (!keeps_core_busy(lane)) continue;
      before += lane < own ? 1 : 0;
      ++all;
    }
    if (const std::vector<int> cores = allowed_cores(); all <= cores.size()) stay_on(cores[before]);
  }

  void run_lane(LaneId lane) {
    choose_core(lane);
    for (const OpId op : program_.order(lane)) {
      if (program_.ops[op].lane != lane) {
        wait(ended_[op], [](uint32_t ended) { return ended != 0; });
        continue;
      }
      wait(waits_[op], [](uint32_t waits) { return waits == 0; });
      execute(op);
    }
  }

  void serve(Outbox& box) {
    for (OpId op = box.pop(); op != none; op = box.pop()) {
      if (stopped_) return;
      execute(op);
    }
  }

  void execute(OpId op) {
    Span& span = timeline_.spans[op];
    span.start = now();
    perform(program_, op, work_);
    span.end = now();
    end(op);
  }

  void end(OpId op) {
    for (const Edge edge : program_.after(op)) {
      // The last to arrive sees 1: all writes of the others are before it.
      if (waits_[edge.to()].fetch_sub(1) == 1) became_ready(edge.to());
    }
    ended_[op] = 1;
    ended_[op].notify_all();
    if (++done_ == program_.ops.size()) {
      const std::lock_guard lock(mutex_);
      progress_.notify_all();
    }
  }

  void became_ready(OpId op) {
    if (program_.ops[op].lane == none)
      outboxes_[program_.ops[op].rank].push(op);
    else
      waits_[op].notify_all();
  }

  const Program& program_;
  DeviceWork& work_;
  ExecutorOptions options_;
  std::unique_ptr<std::atomic<uint32_t>[]> waits_, ended_;
  Timeline timeline_;
  std::vector<Outbox> outboxes_;
  Clock::time_point start_;
  std::atomic<size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable progress_;
  std::exception_ptr error_;
};

}  // namespace

void perform(const Program& program, OpId op, DeviceWork& work) {
  const OpKind kind = program.type(op).kind;
  if (kind == OpKind::transfer || kind == OpKind::collective)
    work.communicate(op);
  else if (kind != OpKind::marker)
    work.compute(op);
}

void fill_ready(const Program& program, Timeline& timeline) {
  for (OpId op = 0; op < program.ops.size(); ++op) {
    for (const Edge edge : program.after(op)) {
      if (edge.is_lane()) continue;
      Time& ready = timeline.spans[edge.to()].ready;
      ready = std::max(ready, timeline.spans[op].end);
    }
  }
}

Timeline run_live(const Program& program, DeviceWork& work, const ExecutorOptions& options) {
  if (program.ops.empty()) return {{}, "cpu"};
  for (const Lane& lane : program.lanes)
    ensure(lane.policy == LanePolicy::in_order, "live lanes run in order");
  return ThreadedRun(program, work, options).run();
}

}  // namespace pipewright::live
