#include "calibrate/live/executor/lane_worker.hpp"

#include <thread>

namespace pipewright::live {

using Clock = std::chrono::steady_clock;

void DoneBox::put(const Done& done) {
  {
    const std::lock_guard lock(mutex_);
    done_.push_back(done);
  }
  changed_.notify_one();
}

std::optional<Done> DoneBox::take() {
  const std::lock_guard lock(mutex_);
  if (done_.empty()) return {};
  const Done done = done_.front();
  done_.pop_front();
  return done;
}

void DoneBox::wait(std::chrono::microseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] { return !done_.empty(); });
}

struct LaneWorker::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<OpId> ops;
  bool closed = false;

  OpId pop() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return closed || !ops.empty(); });
    if (ops.empty()) return none;
    const OpId op = ops.front();
    ops.pop_front();
    return op;
  }
};

LaneWorker::LaneWorker(DeviceWork& work, std::shared_ptr<DoneBox> box)
    : queue_(std::make_shared<Queue>()) {
  std::thread([queue = queue_, box = std::move(box), &work] {
    for (OpId op = queue->pop(); op != none; op = queue->pop()) {
      Done done{op, Clock::now(), {}, {}};
      try {
        work.compute(op);
      } catch (const std::exception& error) {
        done.error = error.what();
      }
      done.end = Clock::now();
      box->put(done);
    }
  }).detach();
}

LaneWorker::~LaneWorker() {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->closed = true;
    queue_->ops.clear();
  }
  queue_->changed.notify_one();
}

void LaneWorker::start(OpId op) {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->ops.push_back(op);
  }
  queue_->changed.notify_one();
}

void LaneWorkers::start(LaneId lane, OpId op) {
  std::unique_ptr<LaneWorker>& worker = workers_[lane];
  if (!worker) worker = std::make_unique<LaneWorker>(work_, box_);
  ++computing_;
  worker->start(op);
}

std::optional<Done> LaneWorkers::take() {
  std::optional<Done> done = box_->take();
  if (done) --computing_;
  return done;
}

}  // namespace pipewright::live
