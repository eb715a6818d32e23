// Threads that copy memory to memory until they are told to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace pipewright::calibration {

class Copiers {
 public:
  /// `count` threads, each between two blocks of its own that no cache holds. Returns once all have
  /// begun.
  explicit Copiers(int count);
  ~Copiers();
  Copiers(const Copiers&) = delete;
  Copiers& operator=(const Copiers&) = delete;
  /// Bytes copied a second by all of them, since they began.
  double bytes_per_s() const;

 private:
  void copy();
  std::atomic<bool> stop_ = false;
  std::atomic<int> begun_ = 0;
  std::atomic<int64_t> bytes_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::thread> threads_;
};

}  // namespace pipewright::calibration
