// A pipeline for tests of what is exported and run again.
#pragma once

#include <string>

#include "support/experiments.hpp"

namespace pipewright::test {

/// Whole nanoseconds however a device's share is cut.
inline config::Value pipeline(const std::string& schedule, int devices, int microbatches) {
  return experiment("model: {synthetic: {devices: " + std::to_string(devices) +
                    ", microbatches: " + std::to_string(microbatches) +
                    ", forward: 840 us, backward: 1680 us, boundary: 100 kB}}\n"
                    "cluster: {devices: " +
                    std::to_string(devices) +
                    ", link: {latency: 7 us, bandwidth: 10 GB/s}}\n"
                    "network: alpha-beta\nschedule: " +
                    schedule + "\n");
}

}  // namespace pipewright::test
