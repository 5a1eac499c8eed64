#if __GNUC__ > 13

#error -- unsupported GNU version! gcc versions later than 13
#endif
