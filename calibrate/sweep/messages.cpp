#include "calibrate/sweep/messages.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace pipewright::spread {

using Json = nlohmann::json;

void send(transport::Session& session, int to, Message message, std::vector<std::byte> bytes) {
  const size_t size = bytes.size();
  session.send(to, transport::Channel::data, static_cast<uint32_t>(message),
               std::make_shared<const std::vector<std::byte>>(std::move(bytes)), size);
}

void send(transport::Session& session, int to, Message message, uint64_t place) {
  send(session, to, message, transport::bytes_of(&place, sizeof place));
}

uint64_t place_of(const std::vector<std::byte>& bytes) {
  uint64_t place = 0;
  ensure(bytes.size() == sizeof place, "a place in a study is one number");
  std::memcpy(&place, bytes.data(), sizeof place);
  return place;
}

std::vector<std::byte> pack(const SweepRun& run) {
  Json objectives = Json::array();
  for (const auto& value : run.objectives) objectives.push_back(value ? Json(*value) : Json());
  const std::vector<uint8_t> bytes =
      Json::to_cbor(Json::array({run.point, run.settings, run.schedule, run.reason, objectives,
                                 run.feasible, run.csv, run.json}));
  return transport::bytes_of(bytes.data(), bytes.size());
}

SweepRun unpack(const std::vector<std::byte>& bytes) {
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
  const Json fields = Json::from_cbor(begin, begin + bytes.size());
  SweepRun run;
  run.point = fields.at(0).get<int64_t>();
  run.settings = fields.at(1).get<std::vector<std::string>>();
  run.schedule = fields.at(2).get<std::string>();
  run.reason = fields.at(3).get<std::string>();
  for (const Json& value : fields.at(4))
    run.objectives.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  run.feasible = fields.at(5).get<bool>();
  run.csv = fields.at(6).get<std::string>();
  run.json = fields.at(7).get<std::string>();
  return run;
}

}  // namespace pipewright::spread
