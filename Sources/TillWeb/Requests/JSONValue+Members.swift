package import TillCore

extension JSONValue {
    /// Returns an optional time with an offset, as it was written. Its day is one of its month, and its second is below
    /// 60: programs that read it know no leap second.
    package func timeWithOffset(_ name: String) throws -> String? {
        guard let text = try text(name, atMost: 32) else { return nil }
        let digits = Array(text.utf8)
        guard Timestamp(internetTime: text) != nil, let year = JSONValue.number(digits[0..<4]),
            let month = JSONValue.number(digits[5..<7]), let day = JSONValue.number(digits[8..<10]),
            let second = JSONValue.number(digits[17..<19]), second < 60,
            day <= JSONValue.days(in: month, of: year)
        else {
            throw Problem.field(name, "It must be a time with an offset, such as 2026-11-21T18:30:00+01:00.")
        }
        return text
    }

    /// Returns the number that some digits write.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? { Int(String(decoding: digits, as: UTF8.self)) }

    /// Returns the number of days in a month of the Gregorian calendar.
    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the optional member `metadata`.
    package func metadata() throws -> OrderMetadata? {
        guard let value = self["metadata"], !value.isNull else { return nil }
        var values: [String: String] = [:]
        guard let members = value.objectValue else { throw Problem.field("metadata", "It must be an object of texts.") }
        for member in members {
            guard let text = member.value.stringValue else {
                throw Problem.field("metadata", "The value of \(member.key.prefix(40)) must be text.")
            }
            values[member.key] = text
        }
        do throws(OrderMetadata.Refusal) { return try OrderMetadata(values) } catch {
            throw Problem.field("metadata", "\(error)")
        }
    }
}
