#include "diagnose/exchange_ways.hpp"

#include <algorithm>
#include <array>

#include "interop/words.hpp"

namespace pipewright::diagnose {
namespace {

/// What DeepEP joins by NVLink (NUM_MAX_NVL_PEERS of its configs.cuh).
constexpr int ranks_of_a_node = 8;
constexpr int most_ranks = 100'000;

struct WayWord {
  std::string_view part;
  ExchangeWay way;
};
/// Without underscores. DeepEP's "notify_dispatch" and "cached_notify" announce.
constexpr std::array<WayWord, 6> way_words = {{{"notify", ExchangeWay::announcement},
                                               {"dispatch", ExchangeWay::to_experts},
                                               {"combine", ExchangeWay::back},
                                               {"alltoall", ExchangeWay::unknown},
                                               {"allgather", ExchangeWay::to_experts},
                                               {"reducescatter", ExchangeWay::back}}};

/// "8" of "internode::dispatch<false, 8, false>" and of "<(bool)0, (int)8, (bool)0>" for `index` 1.
int template_argument(std::string_view kernel, size_t index) {
  const size_t open = kernel.find('<');
  if (open == std::string_view::npos) return 0;
  const std::vector<std::string_view> arguments =
      interop::split(kernel.substr(open + 1, kernel.find('>') - open - 1), ", ", false);
  if (index >= arguments.size()) return 0;
  const std::string_view argument = arguments[index].substr(arguments[index].rfind(')') + 1);
  return std::clamp(interop::number_of<int>(argument).value_or(0), 0, most_ranks);
}

/// Of exchanges that say their bytes: each is held against those before it that nothing answered.
void match_bytes(std::vector<ExpertExchange>& of_pass) {
  std::vector<const ExpertExchange*> open;
  for (ExpertExchange& one : of_pass) {
    if (one.way != ExchangeWay::unknown) continue;
    const auto answered = std::ranges::find_if(open, [&](const ExpertExchange* before) {
      return before->sent == one.received && before->received == one.sent;
    });
    one.way = answered == open.end() ? ExchangeWay::to_experts : ExchangeWay::back;
    if (answered == open.end())
      open.push_back(&one);
    else
      open.erase(answered, open.end());
  }
}

}  // namespace

ExchangeWay exchange_way(const std::string& name) {
  std::string lower = interop::lower_case(name.substr(0, 200));
  std::erase(lower, '_');
  for (const WayWord& word : way_words)
    if (lower.find(word.part) != std::string::npos) return word.way;
  return ExchangeWay::none;
}

void tell_ways(std::vector<ExpertExchange>& of_pass) {
  const bool says_bytes = std::ranges::all_of(of_pass, [](const ExpertExchange& one) {
    return one.way != ExchangeWay::unknown || (one.sent > 0 && one.received > 0);
  });
  if (says_bytes) return match_bytes(of_pass);
  bool back = false;
  for (ExpertExchange& one : of_pass) {
    if (one.way != ExchangeWay::unknown) continue;
    one.way = back ? ExchangeWay::back : ExchangeWay::to_experts;
    back = !back;
  }
}

int deep_ep_ranks(const std::string& kernel) {
  const std::string_view name = std::string_view(kernel).substr(0, 200);
  if (exchange_way(kernel) == ExchangeWay::none) return 0;
  if (name.find("ep::intranode::") != std::string_view::npos) return template_argument(name, 0);
  if (name.find("ep::internode::") != std::string_view::npos)
    return std::min(ranks_of_a_node * template_argument(name, 1), most_ranks);
  return 0;
}

}  // namespace pipewright::diagnose
