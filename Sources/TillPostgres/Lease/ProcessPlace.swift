import Foundation
import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The location of a process, by which another process there can prove its death without waiting for its lease.
struct ProcessPlace: Hashable, Sendable {
    /// The identifier of a machine's boot and a process namespace; `nil` if the system does not provide it.
    var place: String?
    var pid: Int64
    /// The start time in the system's units, since process numbers are reused.
    var started: String?

    static var current: ProcessPlace {
        let pid = Int64(getpid())
        return ProcessPlace(place: here, pid: pid, started: started(pid))
    }

    /// The machine's boot, and the process namespace, which containers have of their own.
    private static let here: String? = {
        guard let boot = text("/proc/sys/kernel/random/boot_id"),
            let numbers = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        else { return nil }
        return boot + " " + numbers
    }()

    /// `true` if the process ran here and has ended. A process that cannot be examined is not proved dead.
    var isProvedDead: Bool {
        guard let place, place == ProcessPlace.here, let started else { return false }
        guard let now = ProcessPlace.started(pid) else {
            return kill(pid_t(truncatingIfNeeded: pid), 0) != 0 && errno == ESRCH
        }
        return now != started
    }

    /// Returns the 22nd value of `/proc/PID/stat`; an earlier value in parentheses may contain spaces.
    private static func started(_ pid: Int64) -> String? {
        guard let stat = text("/proc/\(pid)/stat"), let bracket = stat.lastIndex(of: ")") else { return nil }
        let values = stat[stat.index(after: bracket)...].split(separator: " ")
        // A zombie process is dead.
        guard values.count > 19 else { return nil }
        guard values[0] != "Z", values[0] != "X" else { return "ended" }
        return String(values[19])
    }

    private static func text(_ path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
