#include "calibrate/live/own_gpu.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>

namespace pipewright::live {
namespace {

std::vector<std::byte> packed(const OwnGpu& own) {
  const std::string text = own.host_id + '\n' + own.id + '\n' + own.problem;
  return transport::bytes_of(text.data(), text.size());
}

OwnGpu unpacked(const std::vector<std::byte>& bytes) {
  std::string text(bytes.size(), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) text[i] = static_cast<char>(bytes[i]);
  std::istringstream in(text);
  OwnGpu own;
  std::getline(in, own.host_id);
  std::getline(in, own.id);
  std::getline(in, own.problem);
  return own;
}

}  // namespace

std::string gpu_problem(transport::Session& session, const OwnGpu& own) {
  std::vector<OwnGpu> all;
  for (const auto& bytes : session.exchange(packed(own))) all.push_back(unpacked(bytes));
  const auto place = [&](size_t rank) {
    return fmt::format("rank {} on {}", rank, session.hosts()[rank]);
  };
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (!all[rank].problem.empty()) return fmt::format("{}: {}", place(rank), all[rank].problem);
  std::map<std::string, size_t> holder;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    const std::string gpu = session.hosts()[rank] + '\n' + all[rank].host_id + '\n' + all[rank].id;
    const auto [found, is_new] = holder.try_emplace(gpu, rank);
    if (!is_new)
      return fmt::format(
          "{} has no GPU of its own, rank {} has it: start one rank a GPU, or without mpirun "
          "--partitions on one",
          place(rank), found->second);
  }
  return "";
}

}  // namespace pipewright::live
