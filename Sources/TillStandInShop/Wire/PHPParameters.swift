/// The parameters of a query as PHP gives them to a plugin: of a repeated name the last value counts, and brackets nest
/// (`status[]=pending`, `a[0]=x`).
///
/// Everything beyond the limits is dropped, as PHP does.
struct PHPParameters: Hashable, Sendable {
    /// The maximum number of parameters (`max_input_vars`).
    static let maximumCount = 1_000
    /// The maximum nesting (`max_input_nesting_level`).
    static let maximumDepth = 64

    enum Value: Hashable, Sendable {
        case text(String)
        case list([Entry])
    }

    struct Entry: Hashable, Sendable {
        var name: String
        var value: Value
    }

    private(set) var entries: [Entry] = []

    init(entries: [Entry] = []) { self.entries = entries }

    /// Parses a query without its question mark.
    init(query: some StringProtocol) {
        for pair in query.split(separator: "&").prefix(PHPParameters.maximumCount) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? PHPParameters.decoded(parts[1]) : ""
            guard let path = PHPParameters.path(PHPParameters.decoded(parts[0])) else { continue }
            PHPParameters.set(value, at: path[...], in: &entries)
        }
    }

    subscript(name: String) -> Value? { entries.first { $0.name == name }?.value }

    /// A plain value; `nil` if it is absent, empty or nested.
    func text(_ name: String) -> String? {
        guard case .text(let text)? = self[name], !text.isEmpty else { return nil }
        return text
    }

    /// The elements of a nested value, or of a plain one between commas; `nil` if it is absent or empty.
    func texts(_ name: String) -> [String]? {
        let found: [String]
        switch self[name] {
        case .text(let text)?: found = text.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
        case .list(let list)?:
            found = list.compactMap { if case .text(let text) = $0.value { text } else { nil } }
        case nil: return nil
        }
        return found.isEmpty ? nil : found
    }

    /// Returns these parameters without one name.
    func without(_ name: String) -> PHPParameters { PHPParameters(entries: entries.filter { $0.name != name }) }

    /// Returns these parameters with those of another list over them.
    func merging(_ other: [(name: String, value: String)]) -> PHPParameters {
        var merged = self
        for (name, value) in other.prefix(PHPParameters.maximumCount) {
            PHPParameters.set(value, at: [name], in: &merged.entries)
        }
        return merged
    }

    /// Decodes a name or a value of a form: plus signs are spaces.
    private static func decoded(_ text: some StringProtocol) -> String {
        PercentCoding.decode(String(text).replacing("+", with: " "))
    }

    /// Splits `a[b][]` into its keys; a `nil` key is the next index. `nil` for a name that PHP ignores.
    private static func path(_ name: String) -> [String?]? {
        var name = name[...]
        while name.first == " " { name.removeFirst() }
        guard let first = name.first, first != "[" else { return nil }
        let bracket = name.firstIndex(of: "[") ?? name.endIndex
        var head = String(name[..<bracket].map { $0 == "." || $0 == " " ? "_" : $0 })
        var keys: [String?] = []
        var rest = name[bracket...]
        while rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else {
                // A bracket that is not closed is part of the name.
                if keys.isEmpty { head += "_" + rest.dropFirst() }
                break
            }
            let key = rest[rest.index(after: rest.startIndex)..<end]
            keys.append(key.isEmpty ? nil : String(key))
            rest = rest[rest.index(after: end)...]
        }
        return keys.count < maximumDepth ? [head] + keys : nil
    }

    private static func set(_ value: String, at path: ArraySlice<String?>, in entries: inout [Entry]) {
        guard let key = path.first else { return }
        let name = key ?? String((entries.compactMap { Int64($0.name) }.filter { $0 < .max }.max() ?? -1) + 1)
        let place = entries.firstIndex { $0.name == name }
        if path.count == 1 {
            if let place {
                entries[place].value = .text(value)
            } else {
                entries.append(Entry(name: name, value: .text(value)))
            }
            return
        }
        var inner: [Entry] = []
        if let place, case .list(let known) = entries[place].value { inner = known }
        set(value, at: path.dropFirst(), in: &inner)
        if let place {
            entries[place].value = .list(inner)
        } else {
            entries.append(Entry(name: name, value: .list(inner)))
        }
    }
}
