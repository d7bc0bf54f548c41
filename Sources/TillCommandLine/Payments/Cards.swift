import ArgumentParser
import Foundation
import TillCards
import TillCore

/// `till cards …`: describes a card number without sending it anywhere.
struct Cards: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards",
        abstract: "Checks card numbers without sending them anywhere.", subcommands: [Check.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Describes a card number, expiry and security code: brands, lengths, check digit, format.",
            discussion: """
                till cards check 4032036247327321 --expiry 11/30 --code 123
                echo 4032036247327321 | till cards check -
                The number is shown masked unless --show is given. Exit code 1 if a part cannot be sent.
                """)
        @Argument(help: "The number as typed, also a part of it; - reads it from standard input.")
        var number: String
        @Option(name: .long, help: "The expiry, in any common form.")
        var expiry: String?
        @Option(name: .long, help: "The security code.")
        var code: String?
        @Option(name: .long, help: "The moment to check at, in seconds since 1970; now without it.")
        var at: Int64?
        @Flag(name: .long, help: "Show the number as the form shows it while it is typed.")
        var show = false
        @Flag(name: .long, help: "Print one JSON object and nothing else.")
        var json = false

        func run() async throws {
            let typed = number == "-" ? String((readLine(strippingNewline: true) ?? "").prefix(512)) : number
            let now = at.map { Timestamp(milliseconds: $0.multipliedReportingOverflow(by: 1000).partialValue) }
            let report = CardReport(
                number: typed, expiry: expiry, code: code, now: now ?? SystemClock().now(), isShown: show)
            json ? Output.line(report.json) : report.lines.forEach { Output.line($0) }
            if !report.isUsable { throw ExitCode(1) }
        }
    }
}

/// The report of `till cards check`.
struct CardReport {
    let entry: CardNumberEntry
    let formatted: String
    let expiry: FieldState<ExpiryError>?
    let code: SecurityCodeEntry?
    let passesLuhn: Bool

    init(number: String, expiry: String?, code: String?, now: Timestamp, isShown: Bool) {
        entry = CardNumberEntry(number)
        let digits = TypedDigits.digits(in: number)
        passesLuhn = LuhnChecksum.isValid(digits)
        self.expiry = expiry.map { ExpiryEntry.state($0, now: now) }
        self.code = code.map { SecurityCodeEntry($0, numberDigits: digits) }
        var shown = CardNumberFormatter.format(number)
        if !isShown {
            var index = 0
            shown = String(
                shown.map { character -> Character in
                    guard character != " " else { return " " }
                    defer { index += 1 }
                    return index < 6 && digits.count >= 12 || index >= digits.count - 4 ? character : "•"
                })
        }
        formatted = shown
    }

    var isUsable: Bool { entry.whenLeft.isValid && (expiry?.isValid ?? true) && (code?.state.isValid ?? true) }

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("digits", entry.count)
        writer.field("formatted", formatted)
        writer.field("state", CardReport.word(entry.state))
        writer.field("reason", CardReport.reason(entry.whenLeft))
        writer.field("check_digit", passesLuhn)
        writer.field("may_continue", entry.mayContinue)
        writer.field("warnings", .array(entry.warnings.map { .string($0.word) }))
        writer.key("brands")
        writer.beginArray()
        for candidate in entry.candidates {
            writer.beginObject()
            writer.field("brand", candidate.brand.rawValue)
            writer.field("name", candidate.profile.name)
            writer.field("certain", candidate.isCertain)
            writer.field("lengths", .array(candidate.profile.lengths.map { .number(String($0)) }))
            writer.field("code_name", candidate.profile.codeName)
            writer.field("code_length", candidate.profile.codeLength)
            writer.endObject()
        }
        writer.endArray()
        if let expiry {
            writer.field("expiry_state", CardReport.word(expiry))
            writer.field("expiry_reason", CardReport.reason(expiry))
        }
        if let code {
            writer.field("code_state", CardReport.word(code.state))
            writer.field("code_reason", CardReport.reason(code.state))
        }
        writer.field("ok", isUsable)
        writer.endObject()
        return writer.text
    }

    var lines: [String] {
        let brands = entry.candidates.map { "\($0.profile.name)\($0.isCertain ? "" : "?")" }
        var lines = [
            "number   \(formatted)  (\(entry.count) digits)",
            "state    \(CardReport.word(entry.state))" + (CardReport.reason(entry.whenLeft).map { ": \($0)" } ?? ""),
            "brands   \(brands.isEmpty ? "none known" : brands.joined(separator: ", "))",
            "check    \(passesLuhn ? "the check digit fits" : "the check digit does not fit")",
        ]
        if let first = entry.candidates.first, first.isCertain {
            let lengths = first.profile.lengths.map(String.init).joined(separator: ", ")
            lines.append(
                "cards    \(lengths) digits, \(first.profile.codeName) of \(first.profile.codeLength) digits")
        }
        for warning in entry.warnings { lines.append("warning  \(warning.sentence)") }
        if let expiry {
            lines.append("expiry   \(CardReport.word(expiry))" + (CardReport.reason(expiry).map { ": \($0)" } ?? ""))
        }
        if let code {
            let state = code.state
            lines.append("code     \(CardReport.word(state))" + (CardReport.reason(state).map { ": \($0)" } ?? ""))
        }
        return lines
    }

    private static func word<Reason>(_ state: FieldState<Reason>) -> String {
        switch state {
        case .incomplete: "incomplete"
        case .valid: "valid"
        case .invalid: "invalid"
        }
    }

    private static func reason<Reason>(_ state: FieldState<Reason>) -> String? {
        if case .invalid(let reason) = state { "\(reason)" } else { nil }
    }
}

extension CardNumberEntry.Warning {
    /// The stable identifier for programs.
    var word: String {
        switch self {
        case .checkDigit: "check_digit"
        case .unusualLength: "unusual_length"
        }
    }

    /// The sentence for display.
    var sentence: String {
        switch self {
        case .checkDigit: "The check digit does not match; this network has such cards."
        case .unusualLength: "This network's cards have another length."
        }
    }
}
