#!/bin/bash
# NeMo's GPT-3 5B, started on four nodes with words of Hydra: only the facts.
LOGS=${LOGS:-/logs}
srun python3 -u examples/nlp/language_modeling/megatron_gpt_pretraining.py \
    --config-path=. --config-name=gpt3-5b.yaml \
    trainer.num_nodes=4 model.micro_batch_size=2 ++exp_manager.explicit_log_dir=$LOGS
