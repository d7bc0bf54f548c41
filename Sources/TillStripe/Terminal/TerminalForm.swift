internal import HTTPTypes
internal import TillCore

/// The fields of one request, in order of insertion. Absent values are not sent.
struct TerminalForm {
    private(set) var fields: [(String, String)] = []

    mutating func put(_ name: String, _ value: String?) {
        if let value { fields.append((name, value)) }
    }

    mutating func put(_ name: String, _ value: Int64?) { put(name, value.map { String($0) }) }

    mutating func put(_ name: String, _ value: Bool?) { put(name, value.map { $0 ? "true" : "false" }) }

    mutating func put(_ name: String, _ values: [Int64]) {
        for (index, value) in values.enumerated() { put("\(name)[\(index)]", value) }
    }

    mutating func put(_ name: String, _ values: [String]) {
        for (index, value) in values.enumerated() { put("\(name)[\(index)]", value) }
    }

    /// Adds members by name, sorted, so that the same call always produces the same bytes.
    mutating func put(_ name: String, _ values: [String: String]) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { put("\(name)[\(key)]", value) }
    }
}

extension StripeRequest {
    static func delete(_ path: String) -> StripeRequest {
        StripeRequest(method: .delete, path: path, fields: [], key: nil)
    }
}
