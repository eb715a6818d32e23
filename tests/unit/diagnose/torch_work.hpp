// What devices do in small traces, for the tests of this folder.
#pragma once

#include "diagnose/device_work.hpp"
#include "interop/torch_profile.hpp"
#include "temporary_folder.hpp"
#include "torch_trace.hpp"

namespace pipewright::test {

inline RankProfile profile_of(const TorchTrace& trace, int rank = 0, int world = 1) {
  const TemporaryFolder folder;
  return read_torch_profile(folder.write("t.json", trace.text(rank, world)));
}

inline diagnose::DeviceWork work_of(const TorchTrace& trace, int world = 1) {
  return diagnose::device_work(profile_of(trace, 0, world));
}

}  // namespace pipewright::test
