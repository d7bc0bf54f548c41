extension Timestamp {
    /// Parses an Internet date and time (RFC 3339): `2026-12-20T05:00:00Z`, with or without fractions of a second, with
    /// `Z` or an offset such as `-08:00`. `nil` for anything else.
    public init?(internetTime text: String) {
        let bytes = Array(text.utf8.prefix(41))
        guard (20...40).contains(bytes.count) else { return nil }
        func number(_ from: Int, _ count: Int) -> Int64? {
            guard from + count <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[from..<(from + count)] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
            let minute = number(14, 2), let second = number(17, 2), bytes[4] == 0x2D, bytes[7] == 0x2D,
            bytes[10] == 0x54 || bytes[10] == 0x74 || bytes[10] == 0x20, bytes[13] == 0x3A, bytes[16] == 0x3A,
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var place = 19
        var milliseconds: Int64 = 0
        if bytes[place] == 0x2E {
            place += 1
            var weight: Int64 = 100
            let start = place
            while place < bytes.count, bytes[place] >= 0x30, bytes[place] <= 0x39 {
                milliseconds += Int64(bytes[place] - 0x30) * weight
                weight /= 10
                place += 1
            }
            guard place > start else { return nil }
        }
        guard place < bytes.count else { return nil }
        var offset: Int64 = 0
        if bytes[place] == 0x5A || bytes[place] == 0x7A {
            guard place + 1 == bytes.count else { return nil }
        } else {
            guard bytes[place] == 0x2B || bytes[place] == 0x2D, place + 6 == bytes.count, bytes[place + 3] == 0x3A,
                let hours = number(place + 1, 2), let minutes = number(place + 4, 2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (bytes[place] == 0x2D ? -60 : 60)
        }
        let days = Timestamp.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(milliseconds: seconds * 1000 + milliseconds)
    }

    /// The common RFC 3339 form: whole seconds, UTC, `2026-12-20T05:00:00Z`.
    public var internetTime: String { String(description.prefix(19)) + "Z" }
}
