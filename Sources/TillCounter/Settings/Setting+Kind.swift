import Foundation
import TillCore
import TillProvider

extension Setting.Kind {
    /// Returns the fault of a nonempty value; `nil` for a valid one.
    package func fault(of text: String) -> String? {
        let shown = "is “\(text.prefix(40))”"
        switch self {
        case .text, .path, .secret, .lines: return nil
        case .number(let range):
            if let number = Int(text), range.contains(number) { return nil }
            return "\(shown) and must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .span:
            if Setting.span(parsing: text) != nil { return nil }
            return "\(shown) and must be a time up to a day, such as 50ms, 30s or 2min"
        case .choice(let words):
            if words.contains(text) { return nil }
            return "\(shown) and must be one of \(words.joined(separator: ", "))"
        case .pairs:
            if Setting.pairs(parsing: text) != nil { return nil }
            return "\(shown) and must be names and values such as SIRET=73282932000074; NAF=4719B"
        case .country:
            if text.utf8.count == 2, text.utf8.allSatisfy({ ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }) { return nil }
            return "\(shown) and must be a country's two letters, such as DE"
        case .locale:
            let isWord = text.utf8.allSatisfy {
                ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 >= 0x30 && $0 <= 0x39 || $0 == 0x5F || $0 == 0x2D
            }
            if isWord, (2...32).contains(text.utf8.count) { return nil }
            return "\(shown) and must be a language and a region, such as de_DE"
        case .timeZone:
            if TimeZone(identifier: text) != nil { return nil }
            return "\(shown) and must be a time zone, such as Europe/Berlin"
        case .hosts:
            if Setting.hosts(parsing: text) != nil { return nil }
            return "\(shown) and must be at most \(Setting.maximumHosts) hosts with commas, such as 127.0.0.1"
        case .webAddress:
            if Setting.isWebAddress(text) { return nil }
            return "\(shown) and must be a web address without a query, such as https://shop.example"
        }
    }
}

extension Setting {
    /// The maximum number of pairs of a setting.
    static let maximumPairs = 32

    /// Parses names and values: `SIRET=73282932000074; NAF=4719B`.
    static func pairs(parsing text: String) -> [(name: String, value: String)]? {
        var pairs: [(String, String)] = []
        for part in text.split(separator: ";") {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let name = part[..<sign].trimmingCharacters(in: .whitespaces)
            let value = part[part.index(after: sign)...].trimmingCharacters(in: .whitespaces)
            guard !name.isEmpty, !value.isEmpty, pairs.count < maximumPairs else { return nil }
            pairs.append((name, value))
        }
        return pairs.isEmpty ? nil : pairs
    }

    /// The maximum number of hosts of a setting.
    static let maximumHosts = 8

    /// Parses comma-separated hosts without ports.
    static func hosts(parsing text: String) -> [String]? {
        let hosts = text.lowercased().split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let isUsable = hosts.allSatisfy { host in
            (1...253).contains(host.utf8.count)
                && host.utf8.allSatisfy {
                    (0x61...0x7A).contains($0) || (0x30...0x3A).contains($0)
                        || [0x2D, 0x2E, 0x5B, 0x5D].contains($0)
                }
        }
        return isUsable && hosts.count <= maximumHosts ? hosts : nil
    }

    /// Returns the text with each escaped `\n` replaced by a line break.
    package static func lines(parsing text: String) -> String { text.replacing("\\n", with: "\n") }

    /// Returns `true` for an address to which a path can be appended.
    static func isWebAddress(_ text: String) -> Bool {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.utf8.count <= 200,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let url = URL(string: text), url.host?.isEmpty == false
        else { return false }
        return url.query == nil && url.fragment == nil && url.user == nil
    }
}
