#if canImport(ProximityReader)
    import ProximityReader
#endif
