extension JSONValue {
    /// Creates an object of the members that have a value.
    package static func members(_ pairs: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(pairs.compactMap { pair in pair.value.map { JSONMember(key: pair.key, value: $0) } })
    }

    /// Returns the member at a path of keys.
    package func at(_ path: String...) -> JSONValue? {
        var value: JSONValue? = self
        for key in path { value = value?[key] }
        return value
    }
}

extension Optional<String> {
    /// The text as a JSON string.
    package var json: JSONValue? { map { .string($0) } }
}
