import TillCore

/// Whom an order is for, and where it goes. It belongs to the order's record only, never to a payment or the journal's
/// events, so that it can be erased.
package struct OrderContact: Hashable, Sendable {
    package var name: String?
    package var phone: String?
    package var email: String?
    package var address: Address?

    /// A postal address.
    package struct Address: Hashable, Sendable {
        /// The most lines before the city.
        static let maximumLines = 4

        package var lines: [String] = []
        package var city: String?
        package var postalCode: String?
        /// Two capital letters.
        package var country: String?

        var isEmpty: Bool { self == Address() }
    }

    /// The number of final digits by which a telephone number is found, however it was written.
    static let comparedDigits = 9

    var isEmpty: Bool { self == OrderContact() }

    /// Returns the digits by which a telephone number is found; `nil` for fewer than five.
    static func digits(of phone: String?) -> String? {
        let digits = (phone ?? "").utf8.filter { (0x30...0x39).contains($0) }
        guard digits.count >= 5 else { return nil }
        return String(decoding: digits.suffix(comparedDigits), as: UTF8.self)
    }

    var json: JSONValue {
        var members: [JSONMember] = []
        for (key, value) in [("name", name), ("phone", phone), ("email", email)] {
            if let value { members.append(JSONMember(key: key, value: .string(value))) }
        }
        if let address {
            var parts = [JSONMember(key: "lines", value: .array(address.lines.map { .string($0) }))]
            for (key, value) in [
                ("city", address.city), ("postal_code", address.postalCode), ("country", address.country),
            ] {
                if let value { parts.append(JSONMember(key: key, value: .string(value))) }
            }
            members.append(JSONMember(key: "address", value: .object(parts)))
        }
        return .object(members)
    }

    init(name: String? = nil, phone: String? = nil, email: String? = nil, address: Address? = nil) {
        (self.name, self.phone, self.email, self.address) = (name, phone, email, address)
    }

    /// Reads the stored form.
    init(json: JSONValue) {
        self.init(
            name: json["name"]?.stringValue, phone: json["phone"]?.stringValue, email: json["email"]?.stringValue,
            address: json["address"].map { address in
                Address(
                    lines: (address["lines"]?.arrayValue ?? []).compactMap(\.stringValue),
                    city: address["city"]?.stringValue, postalCode: address["postal_code"]?.stringValue,
                    country: address["country"]?.stringValue)
            })
    }
}

/// How the customer gets the goods.
package enum Handover: String, CaseIterable, Hashable, Sendable {
    /// Over the counter, at once.
    case none
    /// The customer collects them.
    case collection
    case delivery
}
