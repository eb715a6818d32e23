// After primus/core/config and examples/megatron/configs, August 2026: the trainer's preset, over
// it the model's, over it the overrides, all in the words of Megatron-LM's arguments.
#include "convert/primus/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/carried.hpp"
#include "convert/job/documents.hpp"
#include "convert/job/given_model.hpp"
#include "convert/megatron/document.hpp"
#include "convert/megatron/translation.hpp"
#include "convert/primus/keys.hpp"
#include "convert/primus/presets.hpp"
#include "convert/primus/torchtitan_job.hpp"

namespace pipewright::primus {
namespace {

using config::Value;

/// Names that Primus has for arguments of Megatron-LM.
constexpr megatron::Alias aliases[] = {{"fp8", "fp8-format"}};

class ConfigFile {
 public:
  explicit ConfigFile(const job::Source& source) : source_(source) {}

  job::Import run() {
    Value root = job::parse_job(source_, notes_);
    job::resolve_variables(source_, root);
    const Value& trainer = trainer_of(root);
    framework_ = framework_of(trainer);
    // The platform names variables of the environment, and logs.
    check_keys(root, {"work_group", "user_name", "exp_name", "workspace", "platform", "target_gpu",
                      "modules"});
    check_keys(trainer, {"framework", "config", "model", "overrides", "name"});
    const std::optional<Value> given = given_model();
    Value whole = trainer_settings(trainer);
    if (!given) config::merge(whole, model_settings(trainer));
    const Value* overrides = trainer.find("overrides");
    if (overrides && !overrides->is_map() && !overrides->is_null())
      overrides->fail("must be a map of settings");
    if (overrides && overrides->is_map()) config::merge(whole, *overrides);
    job::apply_words(source_, whole);
    job::resolve_variables(source_, whole);
    if (framework_ == "torchtitan")
      return import_torchtitan(std::move(whole), source_, std::move(notes_));
    return translated(std::move(whole), given);
  }

 private:
  /// torchtitan has its models by name.
  std::optional<Value> given_model() const {
    if (framework_ != "torchtitan") return job::given_transformer(source_);
    if (!source_.model.empty())
      throw InputError(
          fmt::format("--model {}: the flavor of torchtitan says the model", source_.model));
    return std::nullopt;
  }

  const Value& trainer_of(const Value& root) const {
    const Value* modules = root.is_map() ? root.find("modules") : nullptr;
    const Value* trainer = modules && modules->is_map() ? modules->find("pre_trainer") : nullptr;
    if (!trainer || !trainer->is_map())
      throw InputError({source_.file, 1, 1}, "no modules.pre_trainer of Primus is here");
    return *trainer;
  }

  void check_keys(const Value& map, std::initializer_list<std::string_view> known) {
    for (const config::Entry& entry : map.entries)
      if (std::find(known.begin(), known.end(), entry.key) == known.end())
        job::refuse(source_, notes_, entry.mark.where(),
                    fmt::format("'{}' is no key of Primus that is known", entry.key));
  }

  static std::string framework_of(const Value& trainer) {
    const Value* framework = trainer.find("framework");
    if (!framework) return "megatron";
    if (framework->text != "megatron" && framework->text != "torchtitan")
      framework->fail(fmt::format("'{}' cannot be said: the framework is megatron or torchtitan",
                                  framework->text));
    return framework->text;
  }

  Value trainer_settings(const Value& trainer) {
    const Value* name = trainer.find("config");
    const std::string folder = "modules/" + framework_;
    if (name && has_preset(source_, *name, folder)) return read_preset(source_, *name, folder);
    if (name && name->text != "pre_trainer.yaml")
      name->fail(
          fmt::format("'{}' is packaged with Primus: give it as a further FILE "
                      "(primus/configs/modules/{}/{})",
                      name->text, framework_, name->text));
    notes_.assumed.push_back("pre_trainer.yaml is as Primus has it in August 2026");
    return framework_ == "torchtitan" ? torchtitan_preset() : trainer_preset();
  }

  Value model_settings(const Value& trainer) const {
    const Value* name = trainer.find("model");
    if (!name)
      throw InputError(trainer.mark.where(),
                       "no model of Primus is named here: 'model' is missing");
    return read_preset(source_, *name, "models/" + framework_);
  }

  /// Primus's patch of the dispatcher is DeepEP, whatever the configuration says beside it
  /// (patches/turbo/moe_dispatcher_patches.py).
  static void dispatch(job::Settings& settings, std::vector<job::Word>& words) {
    const std::string key = "use_turbo_deepep";
    const Value* turbo = settings.look("enable_primus_turbo");
    const bool patches = turbo && job::python_truth(*turbo);
    if (!settings.truth({key}, false) || !patches) return;
    for (const char* said : {"moe_enable_deepep", "moe_token_dispatcher_type"})
      settings.find(std::string_view(said));
    megatron::add_argument("moe-enable-deepep", "", key, settings.where(key), words);
    megatron::add_argument("moe-token-dispatcher-type", "flex", key, settings.where(key), words);
  }

  job::Import translated(Value whole, const std::optional<Value>& given) {
    job::Settings settings(std::move(whole), source_, notes_);
    job::Launch launch;
    launch.where = {source_.file, 1, 1};
    launch.spelled = [](const std::string& name) { return name; };
    dispatch(settings, launch.arguments);
    megatron::add_arguments(settings, "", {aliases, own_keys()}, launch.arguments);
    settings.review(own_keys(), "Primus");
    job::Import import =
        megatron::translate(launch, megatron::defined_devices(source_), source_, given);
    import.from = "a configuration of Primus";
    job::add_notes(import, notes_);
    for (const char* path : {"train_samples", "train_iters", "moe_flex_dispatcher_backend",
                             "moe_shared_expert_overlap"})
      import.idle.emplace_back(path);
    job::carry(import, settings, {.format = "primus"});
    return import;
  }

  const job::Source& source_;
  job::Import notes_;
  std::string framework_;
};

}  // namespace

job::Import import_config(const job::Source& source) { return ConfigFile(source).run(); }

}  // namespace pipewright::primus
