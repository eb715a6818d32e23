#include "network/packet/ports.hpp"

#include <bit>

#include "base/clock_exceeded.hpp"

namespace pipewright {
namespace {

double picoseconds_of(Bytes bytes, Bandwidth rate) {
  return static_cast<double>(bytes.count) / rate.bytes_per_s * 1e12;
}

}  // namespace

Ports::Ports(std::span<const Bandwidth> rates, const PacketOptions& options)
    : mtu_(options.mtu),
      levels_(static_cast<size_t>(options.priorities)),
      queues_(rates.size() * levels_) {
  for (const Bandwidth rate : rates)
    ports_.push_back({.rate = rate, .whole_ps = picoseconds_of(mtu_, rate)});
}

Time Ports::occupy(uint32_t number, Bytes bytes, Time now) {
  Port& port = ports_[number];
  const double exact =
      (bytes == mtu_ ? port.whole_ps : picoseconds_of(bytes, port.rate)) + port.rounding;
  if (exact >= static_cast<double>((longest_time - now).ps)) throw ClockExceeded();
  auto length = static_cast<int64_t>(exact);
  // Two packets never leave at one time: it would be lost which of them is ahead.
  if (length <= 0) length = port.free_at == now ? 1 : 0;
  port.rounding = exact - static_cast<double>(length);
  return port.free_at = now + picoseconds(length);
}

void Ports::enqueue(uint32_t port, int priority, PacketId packet, Bytes bytes, PacketPool& pool) {
  Queue& waiting = queue(port, priority);
  waiting.bytes += bytes;
  waiting.packets.push(pool, packet);
  ports_[port].levels |= 1u << priority;
}

void Ports::enqueue_flow(uint32_t port, int priority, uint32_t flow) {
  Queue& waiting = queue(port, priority);
  next_flow_[flow] = no_packet;
  (waiting.first_flow == no_packet ? waiting.first_flow : next_flow_[waiting.last_flow]) = flow;
  waiting.last_flow = flow;
  ports_[port].levels |= 1u << priority;
}

uint32_t Ports::pop_flow(Queue& waiting) {
  const uint32_t flow = waiting.first_flow;
  waiting.first_flow = next_flow_[flow];
  return flow;
}

Ports::Next Ports::pop(uint32_t number, PacketPool& pool) {
  Port& port = ports_[number];
  const int priority = std::bit_width(free_levels(port)) - 1;
  Queue& waiting = queue(number, priority);
  const bool has_flow = waiting.first_flow != no_packet;
  const bool takes_flow = has_flow && (port.flows_turn || waiting.packets.empty());
  port.flows_turn = !takes_flow;
  const Next next{takes_flow ? pop_flow(waiting) : waiting.packets.pop(pool), takes_flow};
  if (waiting.packets.empty() && waiting.first_flow == no_packet) port.levels &= ~(1u << priority);
  return next;
}

void Ports::left(uint32_t port, int priority, Bytes bytes) { queue(port, priority).bytes -= bytes; }

}  // namespace pipewright
