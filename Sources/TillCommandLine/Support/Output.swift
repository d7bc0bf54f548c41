import ArgumentParser
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

/// The output of commands: the result to standard output, everything else to standard error.
enum Output {
    /// `true` if standard error is a terminal with color and progress enabled.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 && getenv("NO_COLOR") == nil }

    /// `true` if standard output is a terminal, in which case lines should fit it.
    static var isResultOnTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes one line of the result.
    static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes lines of the result, wrapped to ``resultWidth``.
    static func lines(_ texts: [String]) {
        for text in texts { TextTable.fitted(text).forEach { line($0) } }
    }

    /// Writes one line to standard error; wraps it on a terminal.
    static func note(_ text: String) {
        write((isatty(STDERR_FILENO) == 1 ? wrapped(text, to: width(STDERR_FILENO)) : text) + "\n", to: STDERR_FILENO)
    }

    /// Overwrites the current terminal line, without a line break.
    static func progress(_ text: String) { write("\r" + text, to: STDERR_FILENO) }

    /// The width of tables in the result, in columns: that of the terminal; elsewhere 80 at most.
    static var resultWidth: Int {
        let columns = width(STDOUT_FILENO)
        return isResultOnTerminal ? columns : min(usualWidth, columns)
    }

    /// The width where none is known, in columns.
    private static let usualWidth = 80
    /// The range of widths that are used, in columns.
    private static let widths = 40...1000

    /// Returns the width in columns: that of `COLUMNS`, else that of the terminal.
    private static func width(_ terminal: Int32) -> Int {
        var columns = getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 0
        if columns <= 0 {
            var size = winsize()
            columns = ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
        }
        return columns <= 0 ? usualWidth : min(max(columns, widths.lowerBound), widths.upperBound)
    }

    /// Wraps text to lines of at most `width` characters; continuation lines are indented. Longer words stay whole.
    static func wrapped(_ text: String, to width: Int) -> String {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = String(paragraph.prefix { $0 == " " })
            for word in paragraph.drop(while: { $0 == " " }).split(separator: " ") {
                if line.allSatisfy({ $0 == " " }) {
                    line += word
                } else if line.count + 1 + word.count <= width {
                    line += " " + word
                } else {
                    lines.append(line)
                    line = "  " + word
                }
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    /// Writes a binary result.
    static func bytes(_ bytes: [UInt8]) { write(bytes[...], to: STDOUT_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8)[...], to: descriptor) }

    private static func write(_ all: ArraySlice<UInt8>, to descriptor: Int32) {
        var bytes = all
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map {
                    #if canImport(Glibc)
                        Glibc.write(descriptor, $0, buffer.count)
                    #elseif canImport(Musl)
                        Musl.write(descriptor, $0, buffer.count)
                    #else
                        Darwin.write(descriptor, $0, buffer.count)
                    #endif
                } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// `EX_CONFIG`: the configuration is not trusted, and none of it was used.
    static let untrustedSettings: Int32 = 78
    private static let untrusted: Set<String> = ["untrusted_file", "foreign_provider_host"]

    /// Reports an error as JSON or as three sentences, and returns the command's exit code: 1 unless another one
    /// applies.
    static func fail(_ error: any ExplainedError, json: Bool, code: Int32? = nil) -> ExitCode {
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("error")
            writer.beginObject()
            writer.field("code", error.code)
            writer.field("what", error.what)
            writer.field("money_moved", error.moneyMoved.rawValue)
            writer.field("next", error.next)
            writer.endObject()
            writer.endObject()
            line(writer.text)
        } else {
            note("till: \(error.description)")
        }
        return ExitCode(code ?? (untrusted.contains(error.code) ? untrustedSettings : 1))
    }
}

/// An error of the command line itself.
struct CommandError: ExplainedError {
    var code: String
    var what: String
    var moneyMoved: MoneyMoved = .no
    var next: String
}

/// Opens the counter, runs a command on it and closes it; converts errors to sentences and exit codes.
/// - Parameter creates: `false` for a command that only reads, or changes what is there: it refuses a place without a
///   journal, which is then misspelled, instead of making one there.
func withCounter(
    _ common: CommonOptions, _ provider: ProviderOptions, _ more: [Setting: String?] = [:], creates: Bool = true,
    _ body: (Counter) async throws -> Void
) async throws {
    do {
        let options = try provider.counterOptions(common, more)
        if !creates { try Counter.checkJournalExists(at: options.journal) }
        let counter = try await Counter.open(options)
        do {
            try await body(counter)
        } catch {
            await counter.close()
            throw error
        }
        await counter.close()
    } catch let error as JournalError {
        // The engine reports its own writes; an error that arrives here comes from a read.
        let unreadable = CommandError(
            code: "journal_unavailable", what: "\(error)", next: "Check the disk and the rights on the file.")
        throw Output.fail(unreadable, json: common.json)
    } catch let error as any ExplainedError {
        throw Output.fail(error, json: common.json)
    }
}
