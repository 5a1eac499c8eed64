__global__ void l() {}
