// The payloads that links between devices carry for a rank's ops: real numbers, or bytes that do
// not matter.
#pragma once

#include "calibrate/live/executor/device_share.hpp"
#include "calibrate/live/messages/number_exchange.hpp"

namespace pipewright::live {

/// Real numbers between ranks that have a device each. Collectives are those of train::Exchange:
/// sums, gathers and scatters by the links' own, strips of images as pieces that all trade at once,
/// a softmax by a gather of what each row has on every rank, which each joins by itself.
class DeviceNumbers final : public DevicePayloads {
 public:
  /// All outlive it; the links are open with `channels`.
  DeviceNumbers(const Program& program, uint32_t rank,
                const std::vector<transport::DeviceChannel>& channels,
                NumberExchange& number_exchange, kernels::Kernels& kernels,
                transport::DeviceLinks& links);
  void put(const Launch& launch) override;

 private:
  struct Place;
  using Array = kernels::Array;
  using Tensor = kernels::Tensor;

  void send(const Launch& launch);
  void receive(const Launch& launch);
  void collect(const Launch& launch);
  Array exchange(const Place& at, const train::Moving& moving);
  void sum(const Place& at, const Tensor& tensor);
  void join_softmax(const Place& at, const Tensor& tensor);
  Array gather(const Place& at, const Tensor& part);
  Array scatter(const Place& at, const Tensor& whole);
  Array halo(const Place& at, const train::Moving& moving);
  Array samples(const Place& at, const train::Moving& moving);
  Array strips(const Place& at, const train::Moving& moving);
  /// Sends each member its part of `to` and adds what comes from it to its part of `from`.
  void send_and_receive(const Place& at, const std::vector<Tensor>& to,
                        const std::vector<Tensor>& from);
  Array packed(const Array& array);
  Array zeros(int64_t rows, int64_t columns);

  const Program& program_;
  uint32_t rank_;
  const std::vector<transport::DeviceChannel>& channels_;
  NumberExchange& number_exchange_;
  kernels::Kernels& kernels_;
  transport::DeviceLinks& links_;
  DummyDevicePayloads dummy_payloads_;
};

}  // namespace pipewright::live
