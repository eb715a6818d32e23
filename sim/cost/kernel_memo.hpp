// Remembers the times of kernels: a program has thousands, of a few dozen kinds, and the programs
// of a search have most of them in common.
#pragma once

#include <cstddef>

#include "base/memo.hpp"
#include "base/units.hpp"
#include "workload/work.hpp"

namespace pipewright {

/// May be shared by threads.
class KernelMemo {
 public:
  /// The time of `work` on a device of type `device`, from `compute` the first time it is asked.
  template <class F>
  Time of(const Work& work, int device, F&& compute) {
    Key key{work, device};
    key.work.origin = {};
    return times_.of(key, compute);
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
  Memo<Key, Time, Hash> times_;
};

}  // namespace pipewright
