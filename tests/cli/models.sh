# shellcheck shell=bash
# Folders of Hugging Face as models, and lists of blocks of kinds.

gpt_oss='{"architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "head_dim": 64, "hidden_size": 512, "intermediate_size": 512, "layer_types": ["sliding_attention", "full_attention"], "max_position_embeddings": 2048, "num_attention_heads": 8, "num_experts_per_tok": 4, "num_hidden_layers": 2, "num_key_value_heads": 2, "num_local_experts": 32, "sliding_window": 128, "vocab_size": 20108.0}'
given gpt-oss/config.json "$gpt_oss"
given x.yaml 'model: ./gpt-oss
cluster: {node: dgx-h100, nodes: 1}
schedule: 1f1b'
expect 'a folder of Hugging Face is a model' 0 '*iteration time*' '' simulate x.yaml
given empty/readme.txt 'no configuration'
given x.yaml 'model: ./empty
cluster: {node: dgx-h100, nodes: 1}
schedule: 1f1b'
expect 'a folder without config.json is an input error' 2 '' 'x.yaml:1:8: error: *config.json*' simulate x.yaml

one='cluster: {node: dgx-h100, nodes: 1}
batch: {sequence: 1024, global: 8}
schedule: 1f1b'
vision='model: {model_type: gemma3, text_config: {model_type: gemma3_text, hidden_size: 512, num_hidden_layers: 6, intermediate_size: 1024, vocab_size: 1000}, vision_config: {hidden_size: 256}}'
given x.yaml "$vision
$one"
expect 'a tower that is left out is told' 0 '*note *text part only: what vision_config*' '' simulate x.yaml
qwen_vl='model: {model_type: qwen2_5_vl, hidden_size: 512, num_hidden_layers: 4, num_attention_heads: 8, num_key_value_heads: 4, intermediate_size: 1024, vocab_size: 1000, vision_config: {depth: 4, hidden_size: 256, num_heads: 4, intermediate_size: 512, fullatt_block_indexes: [3]}}'
given x.yaml "$qwen_vl
$one"
expect 'a tower that reads nothing is told' 0 '*note *text part only: its vision*' '' simulate x.yaml
given x.yaml "$qwen_vl
$one"
expect 'images are read by a tower' 0 '*iteration time*' '' simulate x.yaml --set batch.images=2 --set batch.image_size=224 --set parallel.pipeline=2 --set parallel.tensor=2 --json r.json
holds 'whose layers stand in front' r.json '*"name": "vision block 3"*'
given x.yaml "$qwen_vl
$one"
expect 'an image needs its size' 2 '' '*error: batch.image_size says how many pixels wide images are: this model takes them as they come' simulate x.yaml --set batch.images=2
given x.yaml "$qwen_vl
$one"
expect 'images have room in a sequence' 2 '' '*error: batch.images: 20 images of 224 pixels are 1280 tokens, but a sequence has 1024' simulate x.yaml --set batch.images=20 --set batch.image_size=224
given x.yaml "$qwen_vl
$one"
expect 'a size is of images' 2 '' '*error: batch.image_size is about images: batch.images says how many a sequence has' simulate x.yaml --set batch.image_size=224
given x.yaml "model: gpt3-1.3b
$one"
expect 'images need a tower' 2 '' "*error: batch.images needs a model with a vision tower ('vision'), and this one has none that is known" simulate x.yaml --set batch.images=2
given x.yaml "model: {model_type: jamba, hidden_size: 512, num_hidden_layers: 8, num_attention_heads: 8, num_key_value_heads: 4, intermediate_size: 1024, vocab_size: 1000, num_experts: 4}
$one"
expect 'selective scans, attention and experts are cut into stages' 0 '*2 stages*' '' simulate x.yaml --set parallel.pipeline=2 --set parallel.tensor=2
given x.yaml "model: {model_type: llama, hidden_size: 512, num_hidden_layers: 4, num_attention_heads: 8, vocab_size: 1000}
$one"
expect 'weights are gathered in 8 bits' 0 '*iteration time*' '' simulate x.yaml --set parallel.data=8 --set parallel.zero=3 --set parallel.gathered=int8
given x.yaml "model: {model_type: llama, hidden_size: 512, num_hidden_layers: 4, num_attention_heads: 8, vocab_size: 1000}
$one"
expect 'gathers in fp8 are of products in fp8' 2 '' '*error: parallel.gathered: fp8 is about products in fp8: precision must be fp8' simulate x.yaml --set parallel.data=8 --set parallel.zero=3 --set parallel.gathered=fp8
given x.yaml "model: {model_type: qwen3_next, hidden_size: 512, num_hidden_layers: 8, num_attention_heads: 4, num_key_value_heads: 2, vocab_size: 1000, num_experts: 16, moe_intermediate_size: 64, intermediate_size: 512}
$one"
expect 'linear and full attention are cut into stages' 0 '*2 stages*' '' simulate x.yaml --set parallel.pipeline=2 --set parallel.tensor=2 --set parallel.expert=4
given x.yaml "model: {model_type: qwen3_next, hidden_size: 512, num_hidden_layers: 8, num_attention_heads: 4, num_key_value_heads: 2, vocab_size: 1000, num_experts: 16, moe_intermediate_size: 64, intermediate_size: 512}
$one"
expect 'a state is not cut in context' 2 '' '*context must be 1: state-space, recurrent and linear attention blocks*' simulate x.yaml --set parallel.context=2
given x.yaml "model: {model_type: nemotron_h, hidden_size: 512, hybrid_override_pattern: M-Q, num_hidden_layers: 3, vocab_size: 1000}
$one"
expect 'a layer of a kind that is not known is an input error' 2 '' "x.yaml:1:*error: no layer type 'Q' is known; *" simulate x.yaml
given x.yaml "model: {model_type: rwkv6, hidden_size: 512}
$one"
expect 'a family that is known and not modelled says why' 2 '' "x.yaml:1:*error: model_type 'rwkv6' is not modelled: *time mixing of an earlier RWKV*" simulate x.yaml
given x.yaml "model: {model_type: gpt_oss, hidden_size: 512, num_hidden_layers: 2, num_attention_heads: 8, vocab_size: 1000}
$one"
expect 'a router needs its count' 2 '' "x.yaml:1:*error: model_type 'gpt_oss' needs the key 'num_local_experts'" simulate x.yaml
given x.yaml "model: {base: nemotron-h-8b, layers: 8}
$one"
expect 'a pattern is cut where there are fewer layers' 0 '*iteration time*' '' simulate x.yaml --json r.json
holds 'and is in the result' r.json '*"mixers": [[]*"state-space"*'

albert="model: {transformer: {layers: 8, hidden: 512, heads: 8, vocabulary: 1000, hidden_groups: 2}}
$one"
given x.yaml "$albert"
expect 'blocks that share weights run' 0 '*iteration time*' '' simulate x.yaml --set parallel.pipeline=2
given x.yaml "$albert"
expect 'a group of them stands on one stage' 2 '' '*error: stage 1 begins with block 2, which shares its weights with the layer before;*' simulate x.yaml --set parallel.pipeline=4
given x.yaml "$albert"
expect 'their weights are not gathered block by block' 2 '' '*error: parallel.zero: blocks that share weights need them whole, not zero: 3' simulate x.yaml --set parallel.zero=3
given x.yaml "$albert"
expect 'there are not more groups than blocks' 2 '' '*hidden_groups*' simulate x.yaml --set model.transformer.hidden_groups=9

given x.yaml 'model: vgg-16
cluster: {node: vcu118, nodes: 4, fabric: {kind: star, link: eth-100}}
parallel: {pipeline: 4}
batch: {global: 16, micro: 1}
precision: fp16
schedule: 1f1b-as
partition: {pieces: 4}'
expect 'a stage may end within a layer' 0 '*iteration time*' '' simulate x.yaml
given x.yaml "model: llama-3-8b
$one
partition: {pieces: 4}"
expect 'blocks of a transformer are not cut so' 2 '' '*error: partition.pieces cuts layers of convolutional networks*' simulate x.yaml

# A folder of Hugging Face gives its model a name, unless the file has one.
given Tiny-Qwen/config.json '{"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_attention_heads": 14, "num_hidden_layers": 24, "num_key_value_heads": 2, "vocab_size": 151936}'
given job.yaml '{model: ./Tiny-Qwen, cluster: {node: dgx-h100, nodes: 1}, batch: {global: 8, sequence: 512}, schedule: 1f1b}'
expect 'a folder is the name of its model' 0 '1f1b: Tiny-Qwen, 630M parameters, on 1 node of dgx-h100*' '' simulate job.yaml
given Tiny-Qwen/config.json '{"_name_or_path": "Qwen/Qwen2-0.5B", "model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_attention_heads": 14, "num_hidden_layers": 24, "num_key_value_heads": 2, "vocab_size": 151936}'
given job.yaml '{model: ./Tiny-Qwen, cluster: {node: dgx-h100, nodes: 1}, batch: {global: 8, sequence: 512}, schedule: 1f1b}'
expect 'unless the file says one' 0 '1f1b: Qwen2-0.5B, 630M parameters, on 1 node of dgx-h100*' '' simulate job.yaml
given x.yaml "model: llama-3-8b
$one"
expect 'adapters leave little to sum and to step' 0 '*fits            yes*' '' simulate x.yaml --set adapters=16 --set parallel.tensor=2
given x.yaml "model: resnet-50
$one"
expect 'a model without matrices of attention has no adapters' 2 '' '*adapters stand beside the products of a transformer*' simulate x.yaml --set adapters=8 --set batch='{global: 8}'
given x.yaml "model: llama-3-8b
$one"
expect 'Muon steps whole matrices' 2 '' '*muon steps whole matrices on devices: zero must be 0 or 1*' simulate x.yaml --set optimizer=muon --set parallel.zero=3
given x.yaml "model: llama-3-8b
$one"
expect 'a format of moments that is not known is told with those that are' 2 '' '*fp32, bf16, fp8, int8*' simulate x.yaml --set moments=fp4
given x.yaml 'model: {model_type: zamba2}
cluster: {node: dgx-h100, nodes: 1}
schedule: 1f1b'
expect 'a family that is not modelled is refused with the nearest that is' 2 '' '*its blocks of attention share weights; the nearest that is: bamba*' simulate x.yaml

# Keys that are set on a model of Hugging Face.
qwen='{"model_type": "qwen3_moe", "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 32, "num_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": 64, "intermediate_size": 512, "vocab_size": 1024, "use_cache": true, "tie_word_embeddings": false}'
set_on_qwen() {  # NAME STATUS STDOUT STDERR WORD ...
  given qwen/config.json "$qwen"
  given x.yaml "model: ./qwen
$one"
  local name=$1 status=$2 out=$3 err=$4
  shift 4
  expect "$name" "$status" "$out" "$err" simulate x.yaml "$@"
}
set_on_qwen 'its own key may be set' 0 '*iteration time*' '' --set model.num_hidden_layers=2
set_on_qwen 'so may ours' 0 '*iteration time*' '' --set model.layers=2 --set model.experts.imbalance=1.3
set_on_qwen 'and one that the file leaves out' 0 '*iteration time*' '' --set model.attention_bias=true
set_on_qwen 'what is inside another map says where it stands' 2 '' "*error: a Hugging Face model has no 'transformer'*model.layers for model.transformer.layers" --set model.transformer.layers=24
set_on_qwen 'what nothing reads is refused' 2 '' "*error: 'hidden_sise' changes nothing of this Hugging Face model; did you mean 'hidden_size'?*" --set model.hidden_sise=24
given qwen/config.json "$qwen"
given x.yaml "model: {base: ./qwen, bogus: 7}
$one"
expect 'also beside its base' 2 '' "x.yaml:1:*error: 'bogus' changes nothing of this Hugging Face model*" simulate x.yaml
given qwen/config.json "$qwen"
expect 'what was understood of a model stands below it' 0 '*# 4 layers, hidden 256, 8 heads of 32, 4 of keys and values, *16 experts of 64, 4 active, vocabulary 1024*# parameters: *active*' '' list models ./qwen
given qwen/config.json "$qwen"
expect 'a configuration is no experiment' 2 '' "error: 'qwen/config.json' is a configuration of a model: write a file with 'model: qwen/config.json'*" simulate qwen/config.json
