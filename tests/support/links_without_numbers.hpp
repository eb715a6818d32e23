// Links of devices in tests of order and time, which carry no numbers.
#pragma once

#include "calibrate/transport/device_links.hpp"

namespace pipewright::test {

class LinksWithoutNumbers : public transport::DeviceLinks {
 public:
  std::string library() const override { return "none"; }
  void open(const std::vector<transport::DeviceChannel>&) override {}
  void send(size_t, std::span<const float>) override {}
  void receive(size_t, std::span<float>) override {}
  void all_reduce(size_t, std::span<float>) override {}
  void all_gather(size_t, std::span<const float>, std::span<float>) override {}
  void reduce_scatter(size_t, std::span<const float>, std::span<float>) override {}
  void send_and_receive(size_t, const std::vector<std::span<const float>>&,
                        const std::vector<std::span<float>>&) override {}
};

}  // namespace pipewright::test
