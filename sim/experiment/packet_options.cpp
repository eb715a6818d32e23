// network: {packet: {mtu: 9000, queue: 100 KiB, transport: reliable, ...}}
#include <fmt/format.h>

#include "experiment/readers.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr int most_priorities = 32;
constexpr int64_t most_mtu = 1 << 30;

void read_sizes(const Fields& fields, PacketOptions& options) {
  options.mtu = fields.bytes("mtu", options.mtu);
  if (const Value* mtu = fields.find("mtu"); options.mtu.count < 1 || options.mtu.count > most_mtu)
    mtu->fail(fmt::format("'{}' must be from 1 B to 1 GiB", mtu->text));
  const Value* queue = fields.find("queue");
  options.queue = queue ? config::as_bytes(*queue) : std::max(options.queue, options.mtu);
  if (queue && options.queue < options.mtu)
    queue->fail(fmt::format("a queue of {} B has no room for a packet of {} B", options.queue.count,
                            options.mtu.count));
}

void read_pause(const Fields& fields, PacketOptions& options) {
  const Value* pause = fields.find("pause");
  if (!pause) return;
  options.pause = config::as_bytes(*pause);
  if (*options.pause + options.mtu > options.queue)
    pause->fail(fmt::format(
        "a queue of {} B has no room for what still comes after it pauses at {} B: at "
        "least one packet more, {} B",
        options.queue.count, options.pause->count, (*options.pause + options.mtu).count));
}

void read_lost_share(const Fields& fields, PacketOptions& options) {
  const Value* loss = fields.find("loss");
  if (!loss) return;
  if (options.transport == Transport::reliable)
    loss->fail(
        "a reliable transport does without nothing: 'loss' goes with 'transport: "
        "bounded-loss'");
  options.loss = config::as_fraction(*loss, 0, 1);
}

/// Refuses a `mark` that changes nothing.
void refuse_idle_mark(const Value& mark, const PacketOptions& options) {
  const Bytes marked = config::as_bytes(mark);
  if (marked >= options.queue)
    mark.fail(
        fmt::format("a queue of {} B never holds more than {} B, so that no packet would be "
                    "marked: 'mark' must be less than 'queue'",
                    options.queue.count, marked.count));
  if (options.control == RateControl::aimd && options.small == 0)
    mark.fail(
        "aimd slows down by losses, not by marks: 'mark' goes with 'control: dctcp', 'control: "
        "dcqcn' or 'small'");
}

void read_marks(const Fields& fields, PacketOptions& options) {
  if (const Value* control = fields.find("control"))
    options.control =
        static_cast<RateControl>(config::as_choice(*control, choices::network_packet_control));
  if (const Value* mark = fields.find("mark")) options.mark = config::as_bytes(*mark);
  if (const Value* small = fields.find("small")) options.small = config::as_fraction(*small, 0, 1);
  if (options.mark) return refuse_idle_mark(fields.at("mark"), options);
  if (options.control != RateControl::aimd)
    fields.at("control").fail(
        fmt::format("{} needs 'mark', the bytes behind which a port marks packets",
                    choices::network_packet_control[static_cast<size_t>(options.control)]));
  if (options.small > 0)
    fields.at("small").fail("small gradients are dropped where others are marked: give 'mark'");
}

}  // namespace

PacketOptions read_packet_options(const Value& value) {
  PacketOptions options;
  if (value.is_null()) return options;
  const Fields fields(value, "a packet network", keys::a_packet_network);
  read_sizes(fields, options);
  read_pause(fields, options);
  if (const Value* transport = fields.find("transport"))
    options.transport =
        static_cast<Transport>(config::as_choice(*transport, choices::network_packet_transport));
  read_lost_share(fields, options);
  read_marks(fields, options);
  options.priorities =
      static_cast<int>(fields.integer("priorities", options.priorities, 1, most_priorities));
  options.spray = fields.boolean("spray", false);
  if (const Value* routing = fields.find("routing"); routing && options.spray)
    routing->fail("'spray' draws a route for every packet: leave 'routing' out");
  options.rto = fields.time("rto", options.rto);
  if (options.rto == Time{}) fields.at("rto").fail("a time-out must be more than no time");
  options.window = static_cast<uint32_t>(fields.integer("window", 0, 1, 1'000'000'000));
  return options;
}

}  // namespace pipewright
