// What a job of another framework becomes here.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright::job {

/// What an argument or a key of a job is here.
enum class Effect {
  means,    ///< it decides a key of an experiment
  nothing,  ///< no time and no memory of a training step changes with it
  slight,   ///< it changes the time of a step somewhat, which is not simulated
  refused   ///< it matters and cannot be said
};

/// A further word of the command line: a file with its text, or what is no file, such as KEY=VALUE.
struct Further {
  std::string word;
  std::optional<std::string> text{};
};

/// What is read, and how.
struct Source {
  std::string_view text;
  std::string file;
  std::map<std::string, std::string> given;  ///< --define NAME=VALUE
  bool partial = false;  ///< what matters and cannot be said does not stop the import
  /// Returns the text of a file that the job names, or nothing.
  std::function<std::optional<std::string>(const std::string& path)> read;
  std::vector<Further> further{};
  std::string model{};                           ///< --model NAME
  std::optional<config::Value> written_model{};  ///< the one that comments of ours have
};

/// The job as an experiment, and what is to be known about it.
struct Import {
  config::Value experiment;
  std::string from;                  ///< half a line: what was read
  std::vector<std::string> assumed;  ///< what the job does not say
  std::vector<std::string> slight;   ///< what changes the time somewhat and is not simulated
  std::vector<std::string> refused;  ///< what matters and cannot be said; under `partial` only
  std::vector<std::string> unused;   ///< what does not matter
  std::vector<std::string> idle;     ///< paths of a document that no experiment says
  bool devices_assumed = false;      ///< the job does not say how many it has
  config::Value carried{};           ///< what jobs of the same format get again, by its name
};

/// Says that something matters and cannot be said: fails at `where`, or notes it where the user
/// wants what can be said.
void refuse(const Source& source, Import& import, const Where& where, const std::string& what);

/// Adds what is to be known about `from` to what is about `into`.
void add_notes(Import& into, const Import& from);

/// Returns the experiment as YAML, with the rest as comments before it.
std::string to_yaml(const Import& import);

/// Returns the cluster that is assumed where a job says its devices only: DGX H100 over NDR
/// InfiniBand, with the NICs of the node.
config::Value assumed_cluster(int64_t devices, int64_t per_node);

/// How the note begins that says which cluster is assumed.
inline constexpr std::string_view no_cluster = "the job does not say its cluster";

/// Gives the experiment the assumed cluster, of the node that the job's name says where it says
/// one, and notes it.
void assume_cluster(Import& import, const Source& source, int64_t devices, int64_t per_node);

/// Returns the devices that --define NGPU=N says. Throws InputError for what is no number of them.
std::optional<int64_t> given_devices(const Source& source);

config::Value truth(bool value);
config::Value list_of(const std::vector<int>& numbers);

}  // namespace pipewright::job
