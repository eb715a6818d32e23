#include "run/job_devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/required.hpp"

namespace pipewright {
namespace {

/// Returns the sum of a figure over the devices; 0 where one of them does not have it.
template <class Figure>
double sum(const JobDevices& devices, Figure figure) {
  double sum = 0;
  for (const int32_t number : devices.numbers) {
    const Device* device = devices.device(number);
    const double value = device ? figure(*device) : 0;
    if (value <= 0) return 0;
    sum += value;
  }
  return sum;
}

}  // namespace

std::string JobDevices::name() const {
  std::set<std::string_view> names;
  for (const int32_t number : numbers)
    if (const Device* one = device(number)) names.insert(one->name);
  return fmt::format("{}", fmt::join(names, " and "));
}

double JobDevices::peak_flops_per_s() const {
  return sum(*this, [this](const Device& device) {
    return device.peak_at(precision).value_or(FlopRate{}).flops_per_s;
  });
}

double JobDevices::price_per_hour() const {
  return required(machine, "devices of a job are of a machine").price_per_hour(numbers);
}

}  // namespace pipewright
