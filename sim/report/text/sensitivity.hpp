// What more of each resource would gain, as text and JSON.
#pragma once

#include <string>

#include "result/sensitivity.hpp"

namespace pipewright {

std::string sensitivity_text(const Sensitivity& sensitivity);
/// Schema pipewright.sensitivity/1.
std::string json_text(const Sensitivity& sensitivity);

}  // namespace pipewright
