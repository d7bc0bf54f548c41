#if os(Linux)
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif
#endif

/// Code pages used only at startup: about half of the process's memory when it starts serving.
public enum StartupPages {
    /// Releases the memory of the program's own code. Pages still in use are faulted in again from the system's cache.
    /// No-op on unsupported systems.
    public static func release() {
        #if os(Linux)
            guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
                let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
            else { return }
            for line in maps.split(separator: "\n") where line.hasSuffix(program) {
                let parts = line.split(separator: " ", maxSplits: 2)
                let ends = parts[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
                // Code is never written to, so its pages can be dropped and read again.
                guard parts.count == 3, parts[1] == "r-xp", ends.count == 2, ends[0] < ends[1] else { continue }
                madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), Int32(MADV_DONTNEED))
            }
        #endif
    }
}
