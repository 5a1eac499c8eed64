#if __GNUC__ > 15
#error -- unsupported GNU version! gcc versions later than 15
#endif
