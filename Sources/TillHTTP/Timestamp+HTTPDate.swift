import HTTPTypes
public import TillCore

extension Timestamp {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses the date format that servers send (RFC 9110, 5.6.7): `Sat, 21 Nov 2026 09:30:00 GMT`. Fails for anything
    /// else; the name of the day is not checked.
    public init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let day = Timestamp.number(parts[1], 2), (1...31).contains(day),
            let month = Timestamp.months.firstIndex(of: String(parts[2])), let year = Timestamp.number(parts[3], 4)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = Timestamp.number(time[0], 2), hour < 24,
            let minute = Timestamp.number(time[1], 2), minute < 60, let second = Timestamp.number(time[2], 2),
            second <= 60
        else { return nil }
        let days = Timestamp.days(year: year, month: Int64(month) + 1, day: day)
        self.init(milliseconds: (days * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000)
    }

    private static func number(_ text: Substring, _ count: Int) -> Int64? {
        guard text.utf8.count == count, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
