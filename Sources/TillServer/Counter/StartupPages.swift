#if os(Linux)
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif
#endif

/// The parts of the program that only starting needed: about half of what it has in memory when it begins to serve.
public enum StartupPages {
    /// Gives the memory of the program's own code back. The system fetches again, from its cache, what is still used.
    /// Does nothing where the system cannot.
    public static func release() {
        #if os(Linux)
            guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
                let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
            else { return }
            for line in maps.split(separator: "\n") where line.hasSuffix(program) {
                let parts = line.split(separator: " ", maxSplits: 2)
                let ends = parts[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
                // Code is never written to, so a page of it can be dropped and read again.
                guard parts.count == 3, parts[1] == "r-xp", ends.count == 2, ends[0] < ends[1] else { continue }
                madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), Int32(MADV_DONTNEED))
            }
        #endif
    }
}
