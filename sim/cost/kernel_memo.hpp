// Remembers the times of kernels: a program has thousands, of a few dozen kinds.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/units.hpp"
#include "workload/work.hpp"

namespace pipewright {

/// Not to be shared between threads.
class KernelMemo {
 public:
  /// The time of `work` on a device of type `device`, from `compute` the first time it is asked.
  template <class F>
  Time of(const Work& work, int device, F&& compute) {
    const auto [found, is_new] = times_.try_emplace({work, device});
    if (is_new) found->second = compute();
    return found->second;
  }

 private:
  struct Key {
    Work work;
    int device;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, Time, Hash> times_;
};

}  // namespace pipewright
