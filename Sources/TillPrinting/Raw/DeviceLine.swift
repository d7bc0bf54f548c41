import Synchronization
import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A receipt printer's device file. A printer that has stopped accepts no more bytes, so no call blocks in the kernel:
/// every write has a deadline.
final class DeviceLine: RawLine {
    private let descriptor: Int32
    private let answers = Mutex(ESCPOSAnswers())
    private let isOpen = Mutex(true)

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { closeOnce() }

    /// Opens the device, for reading too where the system allows that.
    /// - Throws: ``IPPError/unreachable(_:mayHaveArrived:)`` if it does not exist, is not a character device, or is not
    ///   accessible.
    static func open(_ path: String) throws(IPPError) -> DeviceLine {
        let flags = O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        #if canImport(Darwin)
            var descriptor = Darwin.open(path, O_RDWR | flags)
            if descriptor < 0 { descriptor = Darwin.open(path, O_WRONLY | flags) }
        #elseif canImport(Musl)
            var descriptor = Musl.open(path, O_RDWR | flags)
            if descriptor < 0 { descriptor = Musl.open(path, O_WRONLY | flags) }
        #else
            var descriptor = Glibc.open(path, O_RDWR | flags)
            if descriptor < 0 { descriptor = Glibc.open(path, O_WRONLY | flags) }
        #endif
        guard descriptor >= 0 else {
            let why = errno == EACCES ? "this user may not write to \(path)" : "there is no printer at \(path)"
            throw .unreachable(why, mayHaveArrived: false)
        }
        let line = DeviceLine(descriptor)
        var about = stat()
        guard fstat(descriptor, &about) == 0, about.st_mode & S_IFMT == S_IFCHR else {
            throw .unreachable("\(path) is no device of a printer", mayHaveArrived: false)
        }
        return line
    }

    func write(_ bytes: [UInt8], deadline: Span) async -> Bool {
        let end = ContinuousClock.now + deadline.duration
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                guard let start = buffer.baseAddress else { return 0 }
                #if canImport(Darwin)
                    return Darwin.write(descriptor, start, buffer.count)
                #elseif canImport(Musl)
                    return Musl.write(descriptor, start, buffer.count)
                #else
                    return Glibc.write(descriptor, start, buffer.count)
                #endif
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard count == 0 || errno == EAGAIN || errno == EINTR, ContinuousClock.now < end, !Task.isCancelled else {
                return false
            }
            guard await SystemClock().pause(for: .milliseconds(10)) else { return false }
        }
        return true
    }

    func received() async -> RawLineAnswers {
        var buffer = Array(repeating: UInt8(0), count: ESCPOSAnswers.longest)
        let count = read(descriptor, &buffer, buffer.count)
        return answers.withLock { received in
            if count > 0 { received.take(buffer.prefix(count)) }
            let isTalk = received.isTalk
            let next = isTalk ? nil : received.next()
            return RawLineAnswers(next: next, reported: received.reported, isTalk: isTalk)
        }
    }

    func forget() async { answers.withLock { $0.forget() } }

    func close() async { closeOnce() }

    private func closeOnce() {
        let wasOpen = isOpen.withLock { open in
            defer { open = false }
            return open
        }
        guard wasOpen else { return }
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Glibc.close(descriptor)
        #endif
    }
}
