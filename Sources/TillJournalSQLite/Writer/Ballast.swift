import TillCore
import TillJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Disk space reserved beside the journal for the responses of providers: a file without meaningful contents. While it
/// exists, the response to any request to a provider can be recorded, however full the disk has become.
///
/// When a response no longer fits, the file is truncated and the response takes its space; from then on no process
/// starts new operations until the file could be recreated. The file is the only state, and all processes see the same
/// one.
struct Ballast: Sendable {
    /// Space for some twenty responses that are written one by one, each with the pages it changes; a hundred times as
    /// many if they are written together.
    static let maximumBytes = 1 << 20
    /// The minimum reserve, two responses; with less, no operation is started.
    static let minimumBytes = 96 << 10
    /// Only this fraction of the free space is reserved: the journal must be able to grow as well.
    static let share = 4

    /// The reason for refusing new operations while the space is not reserved.
    static let shortage = "there is no space that could be kept for a provider's answer, so nothing new is begun"

    let path: String

    /// `true` while the space is reserved. One system call.
    var isHeld: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_size >= off_t(Ballast.minimumBytes)
    }

    /// Reserves the space, if the disk has it.
    func take() -> Bool {
        if isHeld { return true }
        guard let free = freeBytes else { return false }
        let size = min(Ballast.maximumBytes, free / Ballast.share)
        guard size >= Ballast.minimumBytes else { return false }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let file = DiskFile(descriptor: descriptor, path: path)
        do throws(DurableFileError) {
            try file.write(Ballast.noise(size), at: 0)
            try file.sync()
            return true
        } catch {
            release()
            return false
        }
    }

    /// Releases the space to the next writer.
    func release() {
        _ = truncate(path, 0)
    }

    /// Returns incompressible bytes, which no file system shrinks.
    private static func noise(_ count: Int) -> [UInt8] {
        var state = UInt64.random(in: .min ... .max)
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { buffer in
            for index in stride(from: 0, to: count & ~7, by: 8) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                buffer.storeBytes(of: state ^ state >> 29, toByteOffset: index, as: UInt64.self)
            }
        }
        return bytes
    }

    private var freeBytes: Int? {
        var status = statvfs()
        var folder = path[...]
        while let last = folder.last, last != "/" { folder = folder.dropLast() }
        guard statvfs(folder.isEmpty ? "." : String(folder), &status) == 0 else { return nil }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }
}
