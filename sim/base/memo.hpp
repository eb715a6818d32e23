// Remembers what was worked out, for all threads.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace pipewright {

/// Maps keys to the values of a pure function. May be shared by threads.
template <class Key, class Value, class Hash>
class Memo {
 public:
  /// The value of `key`, from `compute` the first time it is asked. Threads that ask at once work
  /// out the same.
  template <class F>
  Value of(const Key& key, F&& compute) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = values_.find(key); found != values_.end()) return found->second;
    }
    const Value value = compute();
    const std::unique_lock lock(mutex_);
    return values_.try_emplace(key, value).first->second;
  }

 private:
  std::shared_mutex mutex_;
  std::unordered_map<Key, Value, Hash> values_;
};

}  // namespace pipewright
