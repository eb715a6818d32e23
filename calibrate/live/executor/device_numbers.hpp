// What the links between devices carry for a rank's ops: real numbers, or bytes that do not matter.
#pragma once

#include "calibrate/live/executor/device_share.hpp"
#include "calibrate/live/messages/trader.hpp"

namespace pipewright::replay {

/// Real numbers between ranks that have a device each. Collectives are those of train::Exchange:
/// sums, gathers and scatters by the links' own, strips of images as pieces that all trade at once,
/// a softmax by a gather of what each row has on every rank, which each joins by itself.
class DeviceNumbers final : public DeviceCargo {
 public:
  /// All outlive it; the links are open with `channels`.
  DeviceNumbers(const Program& program, uint32_t rank,
                const std::vector<transport::DeviceChannel>& channels, Trader& trader,
                kernels::Kernels& kernels, transport::DeviceLinks& links);
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
  /// By member: what it gets of this rank's, and what is to be added where from it.
  void trade(const Place& at, const std::vector<Tensor>& to, const std::vector<Tensor>& from);
  Array packed(const Array& array);
  Array zeros(int64_t rows, int64_t columns);

  const Program& program_;
  uint32_t rank_;
  const std::vector<transport::DeviceChannel>& channels_;
  Trader& trader_;
  kernels::Kernels& kernels_;
  transport::DeviceLinks& links_;
  DeviceBallast ballast_;
};

}  // namespace pipewright::replay
