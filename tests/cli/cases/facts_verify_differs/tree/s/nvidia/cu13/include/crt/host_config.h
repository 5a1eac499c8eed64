#if __GNUC__ > 12
#error -- unsupported GNU version! gcc versions later than 15
#endif
