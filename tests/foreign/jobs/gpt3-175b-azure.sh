#!/bin/bash
#SBATCH --gpus-per-node=8
if [ -z "$STAGE_PATH" ]; then
	exit 1
fi
GLOBAL_BATCH_SIZE=${GLOBAL_BATCH_SIZE:-512}
TENSOR_MODEL_PARALLEL_SIZE=${TENSOR_MODEL_PARALLEL_SIZE:-8}
PIPELINE_MODEL_PARALLEL_SIZE=${PIPELINE_MODEL_PARALLEL_SIZE:-16}
VOCAB_FILE=${VOCAB_FILE:-$STAGE_PATH/bpe/vocab.json}
DATA_SET_SIZE=$(find $STAGE_PATH -name "*.bin" -type f | wc -l)
readarray -t TRAIN_DATA < <(find $STAGE_PATH -name "*.bin" -type f | sort | head -n $(($DATA_SET_SIZE - 30)))
DISTRIBUTED_ARGS=(
	--nproc_per_node "$SLURM_GPUS_PER_NODE"
	--nnodes "$SLURM_NNODES"
	--rdzv_id $RANDOM
)
MODEL_ARGS=(
	--num-layers 96
	--hidden-size 12288
	--num-attention-heads 96
	--seq-length 2048
	--max-position-embeddings 2048
	--attention-backend auto
	--init-method-std 0.006
	--micro-batch-size 1
	--global-batch-size "$GLOBAL_BATCH_SIZE"
	--fp16
	--tensor-model-parallel-size "$TENSOR_MODEL_PARALLEL_SIZE"
	--pipeline-model-parallel-size "$PIPELINE_MODEL_PARALLEL_SIZE"
	--sequence-parallel
	--use-distributed-optimizer
	--train-data-path $(echo "${TRAIN_DATA[@]}")
	--vocab-file "$VOCAB_FILE"
)
srun torchrun "${DISTRIBUTED_ARGS[@]}" $STAGE_PATH/Megatron-LM/pretrain_gpt.py "${MODEL_ARGS[@]}"
