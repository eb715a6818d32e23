#!/bin/bash
# Megatron-LM's example of a hybrid of 8B parameters: only the facts.
PATTERN="M-M-M--M-M*-M-M-M-M--M*-M-M-M-M-M*--M-M-M-M-M*-M--M-M-M-"
options=" \
  --tensor-model-parallel-size 4 --sequence-parallel --use-distributed-optimizer \
  --overlap-param-gather --overlap-grad-reduce --untie-embeddings-and-output-weights \
  --position-embedding-type none --hybrid-layer-pattern ${PATTERN} --hidden-size 4096 \
  --num-attention-heads 32 --group-query-attention --num-query-groups 8 --seq-length 4096 \
  --max-position-embeddings 4096 --micro-batch-size 4 --global-batch-size 8 --train-samples 73242188 \
  --attention-dropout 0.0 --hidden-dropout 0.0 --disable-bias-linear --normalization RMSNorm --bf16 \
  --tokenizer-type GPTSentencePieceTokenizer --tokenizer-model $2 --data-path $1 \
  --spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec"
torchrun --nproc_per_node 8 pretrain_hybrid.py ${options}
