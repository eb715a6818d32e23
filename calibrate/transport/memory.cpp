#include "calibrate/transport/memory.hpp"

#include <deque>
#include <mutex>

namespace pipewright::transport {
namespace {

struct Mailbox {
  std::mutex mutex;
  std::deque<Packet> packets;
};

class Memory final : public Transport {
 public:
  Memory(int rank, std::shared_ptr<std::vector<Mailbox>> mailboxes)
      : rank_(rank), mailboxes_(std::move(mailboxes)), hosts_(mailboxes_->size(), "here") {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(mailboxes_->size()); }
  const std::vector<std::string>& hosts() const override { return hosts_; }
  void send(int to, Channel channel, uint32_t tag, Payload payload, size_t size) override {
    Packet packet{rank_, channel, tag, {}};
    if (size > 0)
      packet.bytes.assign(payload->begin(), payload->begin() + static_cast<std::ptrdiff_t>(size));
    Mailbox& box = (*mailboxes_)[static_cast<size_t>(to)];
    const std::lock_guard lock(box.mutex);
    box.packets.push_back(std::move(packet));
  }
  std::optional<Packet> poll() override {
    Mailbox& box = (*mailboxes_)[static_cast<size_t>(rank_)];
    const std::lock_guard lock(box.mutex);
    if (box.packets.empty()) return {};
    Packet packet = std::move(box.packets.front());
    box.packets.pop_front();
    return packet;
  }
  bool sent() const override { return true; }
  void leave() override {}

 private:
  int rank_;
  std::shared_ptr<std::vector<Mailbox>> mailboxes_;
  std::vector<std::string> hosts_;
};

}  // namespace

std::vector<std::unique_ptr<Transport>> memory_transports(int ranks) {
  const auto mailboxes = std::make_shared<std::vector<Mailbox>>(static_cast<size_t>(ranks));
  std::vector<std::unique_ptr<Transport>> transports;
  for (int rank = 0; rank < ranks; ++rank)
    transports.push_back(std::make_unique<Memory>(rank, mailboxes));
  return transports;
}

}  // namespace pipewright::transport
