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

/// Numbers of a matrix, with that of its columns in front.
std::vector<std::byte> matrix(const float* numbers, size_t count, int64_t columns) {
  std::vector<std::byte> bytes(sizeof columns + count * sizeof(float));
  std::memcpy(bytes.data(), &columns, sizeof columns);
  if (count > 0) std::memcpy(bytes.data() + sizeof columns, numbers, count * sizeof(float));
  return bytes;
}

int64_t columns_in(const std::vector<std::byte>& bytes) {
  int64_t columns = 0;
  ensure(bytes.size() > sizeof columns, "a message has numbers");
  std::memcpy(&columns, bytes.data(), sizeof columns);
  return columns;
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

PayloadStep RealPayloads::message(OpId transfer) {
  const uint32_t to = program_.ops[transfer].peer;
  const kernels::Array array = number_exchange_.message(transfer);
  if (!array) {
    const auto size = static_cast<size_t>(program_.type(transfer).bytes.count);
    return {to, rank_, std::make_shared<const std::vector<std::byte>>(size), size};
  }
  const std::vector<float> numbers = train::numbers_of(kernels_, array);
  std::vector<std::byte> bytes = matrix(numbers.data(), numbers.size(), array.tensor.columns);
  const size_t size = bytes.size();
  return {to, rank_, std::make_shared<const std::vector<std::byte>>(std::move(bytes)), size};
}

void RealPayloads::receive(OpId transfer, const std::vector<std::byte>& bytes) {
  if (program_.type(transfer).moves_activation) return;
  const int64_t columns = columns_in(bytes);
  number_exchange_.deliver(transfer,
                           train::array_of(kernels_, numbers_in(bytes, sizeof columns), columns));
}

int RealPayloads::mesh_steps(OpId resharding) {
  MeshRound round{.exchange = {program_, resharding, rank_}, .numbers = {}};
  if (round.exchange.sends()) {
    const kernels::Array own = number_exchange_.message(resharding);
    round.numbers = train::numbers_of(kernels_, own);
    round.columns = own.tensor.columns;
  }
  return mesh_rounds_.try_emplace(resharding, std::move(round)).first->second.exchange.steps();
}

PayloadStep RealPayloads::mesh_step(OpId resharding, int number) {
  const auto& [exchange, numbers, columns] = mesh_rounds_.at(resharding);
  const uint32_t to = exchange.to(number), from = exchange.from(number);
  const MeshExchange::Range part = exchange.outgoing(number), own = exchange.own();
  if (part.count == 0) return {to, from, nullptr, 0};
  const size_t each = numbers.size() / static_cast<size_t>(own.count);
  const float* first = numbers.data() + each * static_cast<size_t>(part.first - own.first);
  std::vector<std::byte> bytes = matrix(first, each * static_cast<size_t>(part.count), columns);
  const size_t size = bytes.size();
  return {to, from, std::make_shared<const std::vector<std::byte>>(std::move(bytes)), size};
}

void RealPayloads::receive_of_mesh(OpId resharding, int number,
                                   const std::vector<std::byte>& bytes) {
  auto& [exchange, numbers, columns] = mesh_rounds_.at(resharding);
  const MeshExchange::Range part = exchange.incoming(number), own = exchange.own();
  if (part.count == 0) return;
  columns = columns_in(bytes);
  const std::vector<float> came = numbers_in(bytes, sizeof columns);
  const size_t each = came.size() / static_cast<size_t>(part.count);
  numbers.resize(each * static_cast<size_t>(own.count));
  std::ranges::copy(
      came, numbers.begin() +
                static_cast<std::ptrdiff_t>(each * static_cast<size_t>(part.first - own.first)));
}

void RealPayloads::finish_mesh(OpId resharding) {
  const auto& [exchange, numbers, columns] = mesh_rounds_.at(resharding);
  if (!exchange.sends())
    number_exchange_.deliver(resharding, train::array_of(kernels_, numbers, columns));
  mesh_rounds_.erase(resharding);
}

int RealPayloads::steps(OpId collective) {
  if (is_resharding(collective)) return mesh_steps(collective);
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
  if (is_resharding(collective)) return mesh_step(collective, number);
  const Round& round = rounds_.at(collective);
  const std::vector<float> numbers = round.exchange.outgoing(number);
  const size_t size = numbers.size() * sizeof(float);
  return {round.ranks[round.exchange.to(number)], round.ranks[round.exchange.from(number)],
          size > 0 ? payload_of(numbers.data(), size) : nullptr, size};
}

void RealPayloads::receive(OpId collective, int number, const std::vector<std::byte>& bytes) {
  if (is_resharding(collective)) return receive_of_mesh(collective, number, bytes);
  rounds_.at(collective).exchange.incoming(number, numbers_in(bytes));
}

void RealPayloads::finish(OpId collective) {
  if (is_resharding(collective)) return finish_mesh(collective);
  number_exchange_.take(collective, rounds_.at(collective).exchange.results(kernels_));
  rounds_.erase(collective);
}

}  // namespace pipewright::live
