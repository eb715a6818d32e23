#!/bin/bash
#SBATCH --nodes=128 --ntasks-per-node=8
# GPT-3 175B as the arguments of 2021 said it: only the facts.
options="--tensor-model-parallel-size 8 --pipeline-model-parallel-size 16 --num-layers 96 \
  --hidden-size 12288 --num-attention-heads 96 --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 1 --global-batch-size 1536 --train-samples 146484375 --vocab-file gpt2-vocab.json \
  --merge-file gpt2-merges.txt --fp16 --checkpoint-activations"
srun -l --container-image "pytorch:20.12-py3" sh -c "python -u pretrain_gpt.py $options"
