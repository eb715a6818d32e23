// A thread that does one lane's compute, and the box that it puts what it has done into.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "calibrate/live/executor/executor.hpp"

namespace pipewright::live {

struct Done {
  OpId op = none;
  std::chrono::steady_clock::time_point start, end;
  std::string error;  ///< why it could not be done
};

/// The box in which workers leave what they have done.
class DoneBox {
 public:
  void put(const Done& done);
  std::optional<Done> take();
  /// Waits until something is in it, but no longer than `most`.
  void wait(std::chrono::microseconds most);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Done> done_;
};

/// Ends with its last op, even one that hangs: then its thread is left alone, and `work` has to
/// stay.
class LaneWorker {
 public:
  LaneWorker(DeviceWork& work, std::shared_ptr<DoneBox> box);
  ~LaneWorker();
  LaneWorker(const LaneWorker&) = delete;
  LaneWorker& operator=(const LaneWorker&) = delete;
  void start(OpId op);

 private:
  struct Queue;
  std::shared_ptr<Queue> queue_;
};

/// The workers of a rank's lanes, each there once it was needed.
class LaneWorkers {
 public:
  explicit LaneWorkers(DeviceWork& work) : work_(work), box_(std::make_shared<DoneBox>()) {}

  void start(LaneId lane, OpId op);
  /// What one of them has done, if something is done.
  std::optional<Done> take();
  /// Waits until something is done, but no longer than `most`.
  void wait(std::chrono::microseconds most) { box_->wait(most); }
  bool occupy_cores() const { return work_.occupies_core(); }
  /// Tells whether ops are being computed.
  bool are_busy() const { return computing_ > 0; }

 private:
  DeviceWork& work_;
  std::shared_ptr<DoneBox> box_;
  std::map<LaneId, std::unique_ptr<LaneWorker>> workers_;
  int computing_ = 0;  ///< ops
};

}  // namespace pipewright::live
