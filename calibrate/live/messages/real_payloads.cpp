#include "calibrate/live/messages/real_payloads.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "calibrate/train/layers/host_numbers.hpp"

namespace pipewright::live {
namespace {

using transport::Payload;

Payload payload_of(const void* data, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  return std::make_shared<const std::vector<std::byte>>(bytes, bytes + size);
}

std::vector<float> numbers_in(const std::vector<std::byte>& bytes, size_t from = 0) {
  std::vector<float> numbers((bytes.size() - from) / sizeof(float));
  if (!numbers.empty())
    std::memcpy(numbers.data(), bytes.data() + from, numbers.size() * sizeof(float));
  return numbers;
}

}  // namespace

RealPayloads::RealPayloads(const Program& program, uint32_t rank, NumberExchange& number_exchange,
                           kernels::Kernels& kernels)
    : program_(program), rank_(rank), number_exchange_(number_exchange), kernels_(kernels) {
  for (uint32_t one = 0; one < program.ranks.size(); ++one)
    rank_of_device_[program.ranks[one].device] = one;
}

/// The number of columns stands in front.
PayloadStep RealPayloads::message(OpId transfer) {
  const uint32_t to = program_.ops[transfer].peer;
  const kernels::Array array = number_exchange_.message(transfer);
  if (!array) {
    const auto size = static_cast<size_t>(program_.type(transfer).bytes.count);
    return {to, rank_, std::make_shared<const std::vector<std::byte>>(size), size};
  }
  const std::vector<float> numbers = train::numbers_of(kernels_, array);
  const int64_t columns = array.tensor.columns;
  std::vector<std::byte> bytes(sizeof columns + numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), &columns, sizeof columns);
  std::memcpy(bytes.data() + sizeof columns, numbers.data(), numbers.size() * sizeof(float));
  const size_t size = bytes.size();
  return {to, rank_, std::make_shared<const std::vector<std::byte>>(std::move(bytes)), size};
}

void RealPayloads::receive(OpId transfer, const std::vector<std::byte>& bytes) {
  if (program_.type(transfer).moves_activation) return;
  int64_t columns = 0;
  ensure(bytes.size() > sizeof columns, "a message has numbers");
  std::memcpy(&columns, bytes.data(), sizeof columns);
  number_exchange_.deliver(transfer,
                           train::array_of(kernels_, numbers_in(bytes, sizeof columns), columns));
}

int RealPayloads::steps(OpId collective) {
  std::vector<uint32_t> ranks;
  for (const int32_t device : program_.groups[program_.ops[collective].peer])
    ranks.push_back(rank_of_device_.at(device));
  const auto own =
      static_cast<size_t>(std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin());
  const size_t members = ranks.size();
  const auto round = rounds_.try_emplace(
      collective, Round{std::move(ranks),
                        RingExchange(kernels_, number_exchange_.bring(collective), own, members)});
  return round.first->second.exchange.steps();
}

PayloadStep RealPayloads::step(OpId collective, int number) {
  const Round& round = rounds_.at(collective);
  const std::vector<float> numbers = round.exchange.outgoing(number);
  const size_t size = numbers.size() * sizeof(float);
  return {round.ranks[round.exchange.to(number)], round.ranks[round.exchange.from(number)],
          size > 0 ? payload_of(numbers.data(), size) : nullptr, size};
}

void RealPayloads::receive(OpId collective, int number, const std::vector<std::byte>& bytes) {
  rounds_.at(collective).exchange.incoming(number, numbers_in(bytes));
}

void RealPayloads::finish(OpId collective) {
  number_exchange_.take(collective, rounds_.at(collective).exchange.results(kernels_));
  rounds_.erase(collective);
}

}  // namespace pipewright::live
