#include "calibrate/live/messages/messages.hpp"

#include <utility>

#include "base/error.hpp"

namespace pipewright::live {

using kernels::Array;
using schedule::Action;
using schedule::Pass;

Messages::Messages(const schedule::Schedule& schedule, int replicas)
    : micro_batches_(static_cast<size_t>(schedule.total_micro_batches())),
      slices_(static_cast<size_t>(schedule.slices)),
      replicas_(static_cast<size_t>(replicas)),
      sent_(2 * static_cast<size_t>(schedule.stages) * micro_batches_ * slices_ * replicas_),
      received_(sent_.size()) {}

size_t Messages::index(const Action& action, int sender, int replica) const {
  const size_t direction = action.pass == Pass::forward ? 0 : 1;
  size_t i = static_cast<size_t>(sender) * 2 + direction;
  i = i * micro_batches_ + static_cast<size_t>(action.micro_batch);
  i = i * slices_ + static_cast<size_t>(action.slice);
  return i * replicas_ + static_cast<size_t>(replica);
}

void Messages::send(const Action& action, int replica, Array message) {
  sent_[index(action, action.stage, replica)] = std::move(message);
}

const kernels::Tensor& Messages::transfer(const Action& action, int replica,
                                          kernels::Kernels& kernels) {
  const size_t i = index(action, action.stage, replica);
  ensure(static_cast<bool>(sent_[i]), "a transfer comes after the pass that makes its message");
  Array copy = kernels.array(sent_[i].tensor.rows, sent_[i].tensor.columns);
  kernels.copy(sent_[i], copy);
  received_[i] = std::move(copy);
  sent_[i] = {};
  return received_[i].tensor;
}

void Messages::reshard(const Action& action, const Resharded& between, kernels::Kernels& kernels) {
  const auto sent = [&](int replica) -> Array& {
    return sent_[index(action, action.stage, replica * between.sharers)];
  };
  const int held = between.sequences / between.from, wanted = between.sequences / between.to;
  ensure(static_cast<bool>(sent(0)), "a transfer comes after the pass that makes its message");
  const int64_t rows = sent(0).tensor.rows / held, columns = sent(0).tensor.columns;
  for (int replica = 0; replica < between.to; ++replica) {
    for (int sharer = 0; sharer < between.takers; ++sharer) {
      Array whole = kernels.array(wanted * rows, columns);
      for (int k = 0; k < wanted; ++k) {
        const int sequence = replica * wanted + k;
        kernels.copy(sent(sequence / held).tensor.row_range(sequence % held * rows, rows),
                     whole.tensor.row_range(k * rows, rows));
      }
      received_[index(action, action.stage, replica * between.sharers + sharer)] = std::move(whole);
    }
  }
  for (int member = 0; member < between.from * between.sharers; ++member)
    sent_[index(action, action.stage, member)] = {};
}

Array Messages::leave(const Action& action, int replica) {
  const size_t i = index(action, action.stage, replica);
  ensure(static_cast<bool>(sent_[i]), "a message leaves after the pass that makes it");
  return std::exchange(sent_[i], {});
}

void Messages::deliver(const Action& action, int replica, Array message) {
  received_[index(action, action.stage, replica)] = std::move(message);
}

Array Messages::take(const Action& action, int replica) {
  const int sender = action.pass == Pass::forward ? action.stage - 1 : action.stage + 1;
  const size_t i = index(action, sender, replica);
  Array& from = received_[i] ? received_[i] : sent_[i];
  ensure(static_cast<bool>(from), "a pass comes after the message that it works on");
  return std::exchange(from, {});
}

}  // namespace pipewright::live
