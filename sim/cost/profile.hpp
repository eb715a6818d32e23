// A calibration profile: what a device was measured to do, the physics fitted to it, and how far
// off that is at points it never saw.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/catalogue.hpp"
#include "cost/conditions.hpp"
#include "cost/cost_model.hpp"
#include "cost/fused_attention.hpp"
#include "cost/measured_attention.hpp"
#include "cost/measured_stream.hpp"

namespace pipewright {

struct GemmProfile {
  MeasuredGemm model;
  std::vector<HeldOutError> held_out;
};
struct AttentionProfile {
  MeasuredAttention model;
  std::vector<HeldOutError> held_out;
};

/// How attention in training runs beside what was measured of it.
struct AttentionRates {
  std::optional<double> steady;  ///< of a benchmark's rate, kept in a run of minutes
  double forward = 1;            ///< the rate of training's kernel, of the measured one's
  double backward = 1;           ///< its rate, of the forward pass's
  std::optional<double> wide;    ///< heads of more than 128 numbers, of the rate of those of 128
};

struct Profile {
  std::string name;      ///< the device it is for
  Device device;         ///< that was measured; a profile may be for another of its family
  bool measured = true;  ///< on the device itself, not taken over from one of its family
  std::string description, date, software, source;
  double steady = steady_fraction;         ///< of the benchmark's rate, kept in a run of minutes
  std::map<DType, double> steady_by_type;  ///< where it is known for one
  AttentionRates attention_rates;
  std::vector<GemmProfile> gemm;  ///< one a type
  std::optional<AttentionProfile> attention;
  std::vector<FusedAttentionProfile> fused_attention;  ///< empty: as `attention` and its rates say
  std::vector<StreamProfile> streams;                  ///< empty: by the memory's bandwidth
  std::optional<Conditions> conditions;

  /// The products of `dtype`; those of bf16 stand for fp16.
  const GemmProfile* products(DType dtype) const;
  /// Returns the fused attention of the pass of `work`, if training's was measured.
  const FusedAttentionProfile* fused(const Work& work) const;
  /// Returns what `work` streams as, if such kernels were measured.
  const StreamProfile* stream(const Work& work) const;
  /// Returns what of a benchmark's rate is left in a run of minutes; fp16 keeps what bf16 does.
  double steady_of(DType dtype) const;
  /// Returns the same of attention.
  double steady_of_attention(DType dtype) const {
    return attention_rates.steady.value_or(steady_of(dtype));
  }
};

inline constexpr std::string_view profile_schema = "pipewright.profile/1";

/// Reads a profile, its `base:` resolved, and the points it names. Throws InputError.
Profile read_profile(const config::Value& document, const config::Catalogue& catalogue);

/// The measured profile that bears the name of `device`, where the catalogue has one.
std::optional<Profile> profile_of(const Device& device, const config::Catalogue& catalogue);

/// Lays the kernels of `profile`, whose points stand in the file `points` beside it, over a
/// profile's document; what else it holds stays.
void set_kernels(config::Value& document, const Profile& profile, const std::string& points);
/// The text of that file.
std::string points_text(const Profile& profile);

}  // namespace pipewright
