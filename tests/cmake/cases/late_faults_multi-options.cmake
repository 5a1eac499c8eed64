set(generator "Ninja Multi-Config")
