#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "calibrate/sweep/messages.hpp"
#include "calibrate/sweep/spread.hpp"

namespace pipewright::spread {
namespace {

constexpr auto nap = std::chrono::microseconds(200);

}  // namespace

Lead::Lead(transport::Session& session, const Study& study, int threads)
    : session_(session), study_(study), threads_(static_cast<size_t>(threads)) {}

void Lead::run(std::span<const StudyPoint* const> points, const SweepOptions::Simulate& simulate,
               const SweepOptions::Keep& keep) {
  {
    const std::lock_guard lock(mutex_);
    left_.assign(points.begin(), points.end());
    keep_ = &keep;
  }
  try {
    run_here(simulate, keep);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    left_.clear();
    if (!error_) error_ = std::current_exception();
  }
  wait_for_others();
  if (error_) std::rethrow_exception(error_);
  for (const StudyPoint* point : failed_) keep(simulate(*point));
}

void Lead::run_here(const SweepOptions::Simulate& simulate, const SweepOptions::Keep& keep) {
  in_parallel(threads_, static_cast<int>(threads_), [&](size_t) {
    while (const StudyPoint* point = take()) keep(simulate(*point));
  });
}

void Lead::wait_for_others() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return elsewhere_ == 0; });
  keep_ = nullptr;
}

const StudyPoint* Lead::take() {
  const std::lock_guard lock(mutex_);
  if (left_.empty()) return nullptr;
  const StudyPoint* point = left_.front();
  left_.pop_front();
  return point;
}

void Lead::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

void Lead::serve() {
  while (gone_ + 1 < session_.size()) {
    if (const auto packet = session_.poll())
      handle(*packet);
    else
      std::this_thread::sleep_for(nap);
    answer();
  }
}

void Lead::handle(const transport::Packet& packet) {
  switch (static_cast<Message>(packet.tag)) {
    case Message::ask:
      asking_.push_back(packet.from);
      return;
    case Message::gone:
      ++gone_;
      return;
    case Message::result:
      take_back(packet.bytes);
      break;
    case Message::failed: {
      const std::lock_guard lock(mutex_);
      failed_.push_back(&study_.points.at(place_of(packet.bytes)));
      break;
    }
    default:
      ensure(false, "a message for those who follow");
  }
  const std::lock_guard lock(mutex_);
  --elsewhere_;
  returned_.notify_one();
}

void Lead::take_back(const std::vector<std::byte>& bytes) {
  try {
    (*keep_)(unpack(bytes));
  } catch (...) {  // a disk that is full
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
    left_.clear();
  }
}

void Lead::answer() {
  const std::lock_guard lock(mutex_);
  while (!asking_.empty()) {
    const int to = asking_.front();
    if (!left_.empty()) {
      send(session_, to, Message::point,
           static_cast<uint64_t>(left_.front() - study_.points.data()));
      left_.pop_front();
      ++elsewhere_;
    } else if (ended_) {
      send(session_, to, Message::none);
    } else {
      return;
    }
    asking_.pop_front();
  }
}

}  // namespace pipewright::spread
