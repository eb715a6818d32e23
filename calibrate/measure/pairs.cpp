// Measures pairs in rounds (rounds.hpp): the lower rank of a pair measures and the other answers.
// No round waits for the others: a pair begins when both have come to it. Medians of:
//   latency = trip of an empty message / 2
//   bandwidth = bytes / (time until a message is acknowledged - trip), and the same for a message
//               that was asked for, which comes the other way
#include "calibrate/measure/pairs.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/error.hpp"
#include "calibrate/measure/rounds.hpp"

namespace pipewright::calibration {
namespace {

using Clock = std::chrono::steady_clock;
using transport::Channel;
using transport::Packet;

/// The purpose of a packet.
enum Word : uint32_t { ping, message, request, answer, done };

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Pairs {
 public:
  Pairs(transport::Session& session, const PairOptions& options)
      : session_(session),
        options_(options),
        payload_(std::make_shared<const std::vector<std::byte>>(options.bytes)),
        to_(static_cast<size_t>(session.size())) {}

  std::vector<PairTimes> run(const std::function<void(int)>& met) {
    for (int round = 0; round < rounds_of(session_.size()); ++round) {
      if (const std::optional<int> other = partner(session_.rank(), round, session_.size())) {
        if (session_.rank() < *other)
          measure(*other);
        else
          answer_all(*other);
      }
      met(round);
    }
    return std::move(to_);
  }

 private:
  void measure(int other) {
    const double trip = median_of(options_.pings, [&] { ask(other, ping, 0); });
    const double there = median_of(options_.messages, [&] { ask(other, message, options_.bytes); });
    const double back = median_of(options_.messages, [&] { ask(other, request, 0); });
    to_[static_cast<size_t>(other)] = {trip / 2, bandwidth(there, trip)};
    const PairTimes theirs{trip / 2, bandwidth(back, trip)};
    const auto told =
        std::make_shared<const std::vector<std::byte>>(transport::bytes_of(&theirs, sizeof theirs));
    session_.send(other, Channel::data, done, told, sizeof theirs);
  }

  void answer_all(int other) {
    for (;;) {
      const Packet packet = from(other);
      if (packet.tag == done) {
        ensure(packet.bytes.size() == sizeof(PairTimes), "a pair's times come whole");
        std::memcpy(&to_[static_cast<size_t>(other)], packet.bytes.data(), sizeof(PairTimes));
        return;
      }
      send(other, answer, packet.tag == request ? options_.bytes : 0);
    }
  }

  void ask(int other, Word word, size_t bytes) {
    send(other, word, bytes);
    from(other);
  }

  void send(int other, Word word, size_t bytes) {
    session_.send(other, Channel::data, word, payload_, bytes);
  }

  /// The next packet of `other`; those of ranks that are ahead are kept for their round.
  Packet from(int other) {
    for (;;) {
      const auto found = std::find_if(early_.begin(), early_.end(),
                                      [&](const Packet& packet) { return packet.from == other; });
      if (found != early_.end()) {
        Packet packet = std::move(*found);
        early_.erase(found);
        return packet;
      }
      if (std::optional<Packet> packet = session_.poll())
        early_.push_back(std::move(*packet));
      else
        std::this_thread::yield();
    }
  }

  template <class F>
  static double median_of(int times, F&& what) {
    std::vector<double> seconds;
    for (int i = 0; i < times; ++i) {
      const Clock::time_point start = Clock::now();
      what();
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return median(std::move(seconds));
  }

  /// Returns the bandwidth. A message that lasts hardly longer than the trip cannot be told from
  /// it.
  double bandwidth(double seconds, double trip) const {
    return static_cast<double>(options_.bytes) / std::max(seconds - trip, seconds / 10);
  }

  transport::Session& session_;
  PairOptions options_;
  transport::Payload payload_;
  std::vector<PairTimes> to_;
  std::deque<Packet> early_;
};

}  // namespace

std::vector<PairTimes> measure_pairs(transport::Session& session, const PairOptions& options,
                                     const std::function<void(int)>& met) {
  return Pairs(session, options).run(met);
}

}  // namespace pipewright::calibration
