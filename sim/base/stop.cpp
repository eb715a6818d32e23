#include "base/stop.hpp"

namespace pipewright {
namespace {

thread_local const std::atomic<bool>* current = nullptr;

}  // namespace

const std::atomic<bool>* stop_of_thread() { return current; }

StopScope::StopScope(const std::atomic<bool>* stop) : before_(current) {
  if (stop) current = stop;
}

StopScope::~StopScope() { current = before_; }

}  // namespace pipewright
