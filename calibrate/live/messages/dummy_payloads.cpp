#include "calibrate/live/messages/dummy_payloads.hpp"

#include <algorithm>

#include "calibrate/live/messages/mesh_exchange.hpp"
#include "calibrate/live/messages/ring_traffic.hpp"

namespace pipewright::live {
namespace {

transport::Payload make_payload(const Program& program) {
  Bytes most;
  for (const OpType& type : program.types)
    if (type.kind == OpKind::transfer || type.kind == OpKind::collective)
      most = std::max(most, type.bytes);
  return std::make_shared<const std::vector<std::byte>>(static_cast<size_t>(most.count));
}

}  // namespace

DummyPayloads::DummyPayloads(const Program& program, const Share& share, uint32_t rank)
    : program_(program), share_(share), rank_(rank), payload_(make_payload(program)) {
  for (const OpType& type : program.types)
    if (type.kind == OpKind::collective) ring_steps(type.collective, 1);
}

PayloadStep DummyPayloads::message(OpId transfer) {
  const auto size = static_cast<size_t>(program_.type(transfer).bytes.count);
  return {program_.ops[transfer].peer, rank_, payload_, size};
}

int DummyPayloads::steps(OpId collective) {
  if (program_.type(collective).resharding != none)
    return MeshExchange(program_, collective, rank_).steps();
  return ring_steps(program_.type(collective).collective, share_.members(collective).size());
}

PayloadStep DummyPayloads::step(OpId collective, int number) {
  const OpType& type = program_.type(collective);
  if (type.resharding != none) {
    const MeshExchange exchange(program_, collective, rank_);
    const auto size =
        static_cast<size_t>(type.bytes.count * exchange.outgoing(number).count / exchange.parts());
    return {exchange.to(number), exchange.from(number), size > 0 ? payload_ : nullptr, size};
  }
  const RingStep step =
      ring_step(type.collective, share_.members(collective), rank_, number, type.bytes);
  return {step.to, step.from, payload_, static_cast<size_t>(step.bytes.count)};
}

}  // namespace pipewright::live
