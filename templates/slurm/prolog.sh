#!/bin/sh
# Prolog= of slurm.conf: a node on which the driver cannot be used is drained (exit code 1) before a job starts on it.
# Jobs without GPUs are not delayed. PTXGUARD: the program, on a file system that every node has.
[ -n "${SLURM_JOB_GPUS:-}" ] || exit 0
exec timeout 20 "${PTXGUARD:-ptxguard}" check --isolated --probe off --require driver,gpu --fail-on unknown --quiet --format oneline
