import TillCore

/// The optional parts of a document, with the expected kind of each value. A value of another kind is omitted and
/// reported in a notice; amounts and values that decide about them are refused instead.
struct ExpectedShapes {
    enum Kind {
        case text
        /// A string, or the digits of a number.
        case plain
        /// An amount, written as either; an empty one counts as absent.
        case amount
        case list
        /// A list, including PHP's form of one with gaps.
        case numbered
        case object
    }

    /// A path and its kind: `items[].name` is the name of each item.
    let parts: KeyValuePairs<String, Kind>

    /// The most parts that are named individually.
    private static let maximumNamed = 5

    /// Returns a sentence for each part of another kind.
    func notices(of document: JSONValue, _ order: String) -> [String] {
        var found: [String] = []
        for (path, kind) in parts {
            ExpectedShapes.visit(document, path.split(separator: ".")[...], "") { value, place in
                if !value.isNull, !kind.fits(value) { found.append(place) }
            }
        }
        var named = found.prefix(ExpectedShapes.maximumNamed).map {
            "Order \(order): its \($0) is not understood, and is left out."
        }
        if found.count > named.count {
            named.append(
                "Order \(order): \(found.count - named.count) more parts are not understood, and are left out.")
        }
        return named
    }

    private static func visit(
        _ value: JSONValue, _ path: ArraySlice<Substring>, _ place: String, _ body: (JSONValue, String) -> Void
    ) {
        guard let key = path.first else { return body(value, place) }
        let isEach = key.hasSuffix("[]")
        let name = isEach ? String(key.dropLast(2)) : String(key)
        guard let member = value[name] else { return }
        let place = place.isEmpty ? name : "\(place).\(name)"
        guard isEach else { return visit(member, path.dropFirst(), place, body) }
        for (index, element) in (member.arrayValue ?? []).prefix(Order.maximumLines).enumerated() {
            visit(element, path.dropFirst(), "\(place)[\(index)]", body)
        }
    }
}

extension ExpectedShapes.Kind {
    fileprivate func fits(_ value: JSONValue) -> Bool {
        switch self {
        case .text: value.stringValue != nil
        case .plain: value.plainText != nil
        case .amount: value.plainText.map { $0.isEmpty || ExactAmount(ifValid: $0) != nil } ?? false
        case .list: value.arrayValue != nil
        case .numbered: value.listedValues != nil
        case .object: value.objectValue != nil
        }
    }
}

extension JSONValue {
    /// The elements of a list. PHP writes a list with gaps, as after a plugin has removed an entry, as an object with
    /// the indices as keys.
    var listedValues: [JSONValue]? {
        if let elements = arrayValue { return elements }
        guard let members = objectValue, !members.isEmpty, members.count <= Order.maximumLines else { return nil }
        var numbered: [(number: Int, value: JSONValue)] = []
        for member in members {
            let key = member.key
            guard key.utf8.count <= 9, key.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(key) else {
                return nil
            }
            numbered.append((number, member.value))
        }
        return numbered.sorted { $0.number < $1.number }.map(\.value)
    }
}
