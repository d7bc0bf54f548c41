import TillCore
import TillCounter
import TillJournal
import TillProvider

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The input of a PIN: on a terminal without echo and twice, otherwise one line of standard input.
enum PINInput {
    /// The maximum number of bytes read from a line.
    private static let maximumBytes = 256

    /// Reads a PIN and returns its hash for storage.
    static func hash(_ counter: Counter, name: String) async throws -> ScryptHash {
        let digits = counter.options.settings.number(.staffPIN) ?? PINPolicy.defaultDigits
        let pin = try read(for: name)
        try PINPolicy(minimumDigits: digits).check(pin)
        return try await ScryptHasher(besideJournal: counter.journal.path).hash(pin, of: counter.options.account)
    }

    private static func read(for name: String) throws(CommandError) -> Secret<String> {
        guard isatty(STDIN_FILENO) == 1 else { return Secret(line()) }
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return Secret(line()) }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else {
            throw CommandError(
                code: "terminal", what: "The terminal would show the PIN. Nothing was changed.",
                next: "Give the PIN on standard input.")
        }
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
        Output.note("PIN for \(name):")
        let first = line()
        Output.note("The same again:")
        guard line() == first else {
            throw CommandError(
                code: "pins_differ", what: "The two PINs differ. Nothing was changed.", next: "Enter them again.")
        }
        return Secret(first)
    }

    /// Reads one line of standard input, without its end.
    private static func line() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < maximumBytes,
            Swift.withUnsafeMutableBytes(
                of: &byte,
                { buffer in
                    #if canImport(Glibc)
                        Glibc.read(STDIN_FILENO, buffer.baseAddress, 1)
                    #elseif canImport(Musl)
                        Musl.read(STDIN_FILENO, buffer.baseAddress, 1)
                    #else
                        Darwin.read(STDIN_FILENO, buffer.baseAddress, 1)
                    #endif
                }) == 1, byte != UInt8(ascii: "\n")
        {
            bytes.append(byte)
        }
        return String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast()[...] : bytes[...], as: UTF8.self)
    }
}
