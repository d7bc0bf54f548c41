/// The fields of a form body or a query, in Stripe's bracket notation: `card[number]`, `expand[0]`.
struct StripeForm: Hashable, Sendable {
    /// Names and values in order of appearance.
    let fields: [(name: String, value: String)]

    static func == (left: StripeForm, right: StripeForm) -> Bool { left.fingerprint == right.fingerprint }
    func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// Parses `a=b&c[d]=e`; undecodable text is kept unchanged.
    init(_ text: String) {
        fields = text.split(separator: "&").prefix(1000).map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (StripeForm.decode(halves.first ?? ""), halves.count > 1 ? StripeForm.decode(halves[1]) : "")
        }
    }

    subscript(name: String) -> String? { fields.last { $0.name == name }?.value }

    func bool(_ name: String) -> Bool { self[name] == "true" }

    /// The members of `name[…]`.
    func members(of name: String) -> [String: String] {
        var found: [String: String] = [:]
        for field in fields where field.name.hasPrefix(name + "[") && field.name.hasSuffix("]") {
            found[String(field.name.dropFirst(name.count + 1).dropLast())] = field.value
        }
        return found
    }

    /// Returns `true` if `expand` names a field.
    func expands(_ field: String) -> Bool {
        fields.contains { $0.name.hasPrefix("expand[") && ($0.value == field || $0.value == "data." + field) }
    }

    /// A fingerprint that distinguishes requests, without card data beyond the last four digits.
    var fingerprint: String {
        fields.map { field in
            if field.name.hasSuffix("[cvc]") { return "\(field.name)=•" }
            if field.name.hasSuffix("[number]") { return "\(field.name)=•\(field.value.suffix(4))" }
            return "\(field.name)=\(field.value)"
        }.sorted().joined(separator: "&")
    }

    private static func decode(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == 0x2B {
                bytes.append(0x20)
            } else if byte == 0x25, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.count >= 2
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
