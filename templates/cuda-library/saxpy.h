#pragma once
// y = a * x + y on the current device; returns a cudaError_t.
int saxpy(int n, float a, const float* x, float* y);
