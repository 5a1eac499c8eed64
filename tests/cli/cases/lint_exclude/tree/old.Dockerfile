FROM nvidia/cuda:12.1.1-runtime-ubuntu22.04
# ptxguard: ignore CC603: why
# ptxguard ignore=CC603 why
# ptxguard: ignore=CC603
RUN pip install torch==2.0.0+cu121 --index-url https://download.pytorch.org/whl/cu121
RUN pip install torch==2.3.1 torchaudio==2.4.0
RUN nvcc -o a a.cu
