int m() { return 0; }
