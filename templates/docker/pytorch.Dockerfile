# docker build -f pytorch.Dockerfile --build-arg PTXGUARD_WHEEL=https://.../ptxguard-0.1.0-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl .
# An image with PyTorch: what requirements.txt installs later cannot replace the torch that fits the GPUs and driver of the hosts.
FROM python:3.12-slim
ARG PTXGUARD_WHEEL
RUN python3 -m venv /opt/ptxguard && /opt/ptxguard/bin/pip install --no-cache-dir "${PTXGUARD_WHEEL:?name what pip is to install}"
# As `ptxguard plan --framework torch --driver 580.65.06 --gpu A100,H100 --python 3.12` prints it.
RUN python3 -m pip install --no-cache-dir 'torch==2.11.0'
RUN /opt/ptxguard/bin/ptxguard check --driver 580.65.06 --gpu A100,H100 --require framework --quiet --constraints /opt/constraints.txt
COPY requirements.txt .
RUN python3 -m pip install --no-cache-dir --constraint /opt/constraints.txt -r requirements.txt
RUN /opt/ptxguard/bin/ptxguard check --driver 580.65.06 --gpu A100,H100 --require framework --quiet
