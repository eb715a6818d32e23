#include "interop/plain_pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

/// Of all that is made, kept and handed out again: a value that is shared is copied each time.
constexpr size_t most_values = size_t{1} << 22;
/// A text counts once for each so many of its bytes, about what another value takes.
constexpr size_t bytes_of_value = 16;
constexpr size_t deepest_nesting = 64;
constexpr char protocol = '\x80';

/// A value on the stack, with how deep it is nested and how much it is to copy.
struct Item {
  Json value;
  size_t nesting = 1, weight = 1;
};
using Items = std::vector<Item>;

Item item_of(Json value) {
  Item item{.value = std::move(value)};
  if (item.value.is_string())
    item.weight += item.value.get_ref<const std::string&>().size() / bytes_of_value;
  return item;
}

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Json run() {
    while (true) {
      const char op = take(1)[0];
      if (op == '.') return pop().value;
      if (!make_value(op) && !make_list(op) && !remember(op)) refuse(op);
      if (stack_.size() > most_values) fail("holds too much");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, 0, 0}, message);
  }
  [[noreturn]] void refuse(char op) const {
    fail(fmt::format(
        "is a pickle that holds more than data (byte {}: instruction 0x{:02x}); its functions are "
        "not called",
        at_ - 1, static_cast<unsigned char>(op)));
  }

  std::string_view take(size_t count) {
    if (count > bytes_.size() - at_) fail("this pickle is cut off");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  /// A number of `count` bytes, the lowest first.
  uint64_t number(size_t count) {
    uint64_t value = 0;
    const std::string_view bytes = take(count);
    for (size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  Json signed_number(size_t count) {
    if (count == 0) return 0;
    if (count > 8) fail("has an integer of more than 64 bits");
    const uint64_t value = number(count);
    const auto unused = static_cast<int>(8 * (8 - count));
    return std::bit_cast<int64_t>(value << unused) >> unused;
  }

  double big_endian_double() {
    uint64_t value = 0;
    for (const char c : take(8)) value = value << 8 | static_cast<unsigned char>(c);
    return std::bit_cast<double>(value);
  }

  void push(Json value) { stack_.push_back(item_of(std::move(value))); }
  Item pop() {
    if (stack_.empty()) fail("this pickle takes more values than it makes");
    Item item = std::move(stack_.back());
    stack_.pop_back();
    return item;
  }

  /// One of the instructions that put a value of their own on the stack.
  bool make_value(char op) {
    switch (op) {
      case 'N':
        return push(nullptr), true;
      case '\x88':
        return push(true), true;
      case '\x89':
        return push(false), true;
      case 'J':
        return push(signed_number(4)), true;
      case 'K':
        return push(number(1)), true;
      case 'M':
        return push(number(2)), true;
      case '\x8a':
        return push(signed_number(number(1))), true;
      case 'G':
        return push(big_endian_double()), true;
      case 'X':
        return push(std::string(take(number(4)))), true;
      case '\x8c':
        return push(std::string(take(number(1)))), true;
      case '\x8d':
        return push(std::string(take(number(8)))), true;
      case ']':
      case ')':
        return push(Json::array()), true;
      case '}':
        return push(Json::object()), true;
      default:
        return false;
    }
  }

  /// One of those that put several values together.
  bool make_list(char op) {
    switch (op) {
      case '(':
        return marks_.push_back(stack_.size()), true;
      case 't':
      case 'l':
        return push_list(since_mark()), true;
      case '\x85':
      case '\x86':
      case '\x87':
        return push_list(last(static_cast<size_t>(op - '\x84'))), true;
      case 'a':
        return append(last(1)), true;
      case 'e':
        return append(since_mark()), true;
      case 's':
        return set(last(2)), true;
      case 'u':
        return set(since_mark()), true;
      default:
        return false;
    }
  }

  /// The memo, and what means nothing to data.
  bool remember(char op) {
    switch (op) {
      case protocol:
        return take(1), true;
      case '\x95':
        return take(8), true;
      case 'q':
        return keep(number(1)), true;
      case 'r':
        return keep(number(4)), true;
      case '\x94':
        return keep(memo_.size()), true;
      case 'h':
        return recall(number(1)), true;
      case 'j':
        return recall(number(4)), true;
      default:
        return false;
    }
  }

  Items last(size_t count) {
    if (count > stack_.size()) fail("this pickle takes more values than it makes");
    const auto first = stack_.end() - static_cast<ptrdiff_t>(count);
    Items items(std::make_move_iterator(first), std::make_move_iterator(stack_.end()));
    stack_.erase(first, stack_.end());
    return items;
  }

  Items since_mark() {
    if (marks_.empty() || marks_.back() > stack_.size()) fail("this pickle has a mark too few");
    const size_t mark = marks_.back();
    marks_.pop_back();
    return last(stack_.size() - mark);
  }

  /// What is put into the container on top of the stack.
  Json&& put(Item& item) {
    Item& container = stack_.back();
    container.weight += item.weight;
    container.nesting = std::max(container.nesting, item.nesting + 1);
    if (container.nesting > deepest_nesting) fail("is nested too deeply");
    return std::move(item.value);
  }

  void check_top(bool holds) const {
    if (!holds) fail("this pickle fills what is neither a list nor a dictionary");
  }

  void push_list(Items items) {
    push(Json::array());
    append(std::move(items));
  }

  void append(Items items) {
    check_top(!stack_.empty() && stack_.back().value.is_array());
    for (Item& item : items) stack_.back().value.push_back(put(item));
  }

  void set(Items items) {
    check_top(!stack_.empty() && stack_.back().value.is_object() && items.size() % 2 == 0);
    for (size_t i = 0; i < items.size(); i += 2) {
      const Json& key = items[i].value;
      const std::string name = key.is_string() ? key.get<std::string>() : dump_json(key);
      stack_.back().value[name] = put(items[i + 1]);
    }
  }

  void count(const Item& item) {
    copied_ += item.weight;
    if (copied_ > most_values) fail("holds too much");
  }

  /// Python keeps a container before it is filled, PyTorch after that. One that is still empty
  /// would be handed out as such.
  void keep(size_t place) {
    if (stack_.empty()) fail("this pickle keeps a value that it has not made");
    const Item& item = stack_.back();
    count(item);
    const bool is_open = item.value.is_structured() && item.value.empty();
    memo_[place] = is_open ? Item{.value = Json(Json::value_t::discarded)} : item;
  }

  void recall(size_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail("this pickle asks for a value that it has not kept");
    if (found->second.value.is_discarded())
      fail("this pickle shares a list or a dictionary between several places: write it as JSON");
    count(found->second);
    stack_.push_back(found->second);
  }

  std::string_view bytes_;
  const std::string& file_;
  size_t at_ = 0, copied_ = 0;
  Items stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, Item> memo_;
};

}  // namespace

Json read_plain_pickle(std::string_view bytes, const std::string& file) {
  return Machine(bytes, file).run();
}

bool is_pickle(std::string_view head) { return head.size() > 1 && head[0] == protocol; }

}  // namespace pipewright
