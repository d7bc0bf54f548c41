import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Space beside the journal that is kept for the answers of providers: a file that holds nothing. While it stands
/// there, whatever is asked of a provider can be written down when it answers, however full the disk has become.
///
/// When an answer does not fit any more the file is emptied and the answer takes its space; from then on nothing
/// new is begun, by any process, until the file could be made again. All processes see the same file, so there
/// is no other state.
struct Ballast: Sendable {
    /// Space for some twenty answers that are written one by one, each with the pages that it changes; of those that
    /// are written together a hundred times as many.
    static let maximumBytes = 1 << 20
    /// Where less can be kept than this, two answers, nothing is begun.
    static let minimumBytes = 96 << 10
    /// Of the free space only a part is kept: the journal has to grow as well.
    static let share = 4

    /// Why nothing is begun while the space is not kept.
    static let shortage = "there is no space that could be kept for a provider's answer, so nothing new is begun"

    let path: String

    /// Whether the space is kept now. One system call.
    var isHeld: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_size >= off_t(Ballast.minimumBytes)
    }

    /// Keeps the space, if the disk has it.
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

    /// Gives the space to whoever writes next.
    func release() {
        _ = truncate(path, 0)
    }

    /// Bytes that no file system makes smaller.
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
