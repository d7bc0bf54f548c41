import Foundation
import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a process runs, so that another one there can prove its death: then nobody has to wait for its lease.
struct ProcessPlace: Hashable, Sendable {
    /// One start of one machine and one set of process numbers; `nil` where the system does not say.
    var place: String?
    var pid: Int64
    /// When it started, as the system counts it: process numbers come again.
    var started: String?

    static var current: ProcessPlace {
        let pid = Int64(getpid())
        return ProcessPlace(place: here, pid: pid, started: started(pid))
    }

    /// The machine's start, and the numbering that containers have of their own.
    private static let here: String? = {
        guard let boot = text("/proc/sys/kernel/random/boot_id"),
            let numbers = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        else { return nil }
        return boot + " " + numbers
    }()

    /// It ran here, and does not any more. A process that cannot be judged is not proved to be dead.
    var isProvedDead: Bool {
        guard let place, place == ProcessPlace.here, let started else { return false }
        guard let now = ProcessPlace.started(pid) else {
            return kill(pid_t(truncatingIfNeeded: pid), 0) != 0 && errno == ESRCH
        }
        return now != started
    }

    /// The 22nd value of `/proc/PID/stat`; what stands before it may have spaces in a pair of brackets.
    private static func started(_ pid: Int64) -> String? {
        guard let stat = text("/proc/\(pid)/stat"), let bracket = stat.lastIndex(of: ")") else { return nil }
        let values = stat[stat.index(after: bracket)...].split(separator: " ")
        // A dead process that nobody has waited for does nothing any more.
        guard values.count > 19 else { return nil }
        guard values[0] != "Z", values[0] != "X" else { return "ended" }
        return String(values[19])
    }

    private static func text(_ path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
