#include "calibrate/measure/copiers.hpp"

#include <cstring>

namespace pipewright::calibration {
namespace {

constexpr size_t block = size_t{16} << 20, piece = size_t{1} << 20;

}  // namespace

Copiers::Copiers(int count) {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { copy(); });
  while (begun_ < count) std::this_thread::yield();
  bytes_ = 0;
  start_ = std::chrono::steady_clock::now();
}

Copiers::~Copiers() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
}

double Copiers::bytes_per_s() const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  return static_cast<double>(bytes_) / passed.count();
}

void Copiers::copy() {
  const std::vector<char> from(block, 1);
  std::vector<char> to(block);
  ++begun_;
  for (size_t at = 0; !stop_; at = (at + piece) % block) {
    std::memcpy(to.data() + at, from.data() + at, piece);
    bytes_ += static_cast<int64_t>(piece);
  }
}

}  // namespace pipewright::calibration
