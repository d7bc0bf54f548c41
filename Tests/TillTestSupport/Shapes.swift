package import TillCore

/// Documents that differ from one in the kind of a single value, which no program would have written there.
package enum Shapes {
    /// Each value of a JSON document, in each of a few other kinds. `null` is not among them: it means nothing.
    package static func variants(of document: JSONValue) -> [(place: String, document: JSONValue)] {
        variants(of: document, at: "").map { ("\($0.place): \($0.kind)", $0.document) }
    }

    private static let kinds: KeyValuePairs<String, JSONValue> = [
        "a list": .array([]), "an object": .object([]), "true": .bool(true), "a text": .string("§"),
    ]

    private static func variants(
        of value: JSONValue, at place: String
    ) -> [(place: String, kind: String, document: JSONValue)] {
        var found: [(String, String, JSONValue)] = []
        if !place.isEmpty { found += kinds.filter { !isSame($0.value, value) }.map { (place, $0.key, $0.value) } }
        switch value {
        case .object(let members):
            for (index, member) in members.enumerated() {
                for variant in variants(of: member.value, at: place.isEmpty ? member.key : "\(place).\(member.key)") {
                    var changed = members
                    changed[index].value = variant.document
                    found.append((variant.place, variant.kind, .object(changed)))
                }
            }
        case .array(let elements):
            for index in elements.indices {
                for variant in variants(of: elements[index], at: "\(place)[\(index)]") {
                    var changed = elements
                    changed[index] = variant.document
                    found.append((variant.place, variant.kind, .array(changed)))
                }
            }
        case .null, .bool, .number, .string: break
        }
        return found
    }

    private static func isSame(_ kind: JSONValue, _ value: JSONValue) -> Bool {
        switch (kind, value) {
        case (.array, .array), (.object, .object), (.bool, .bool): true
        // What is no name, amount or time is another kind of text.
        case (.string, .string(let text)): text == "§"
        default: false
        }
    }

    /// Each cell of a table of comma-separated values, emptied and with a text that is nothing; its first line stays.
    package static func variants(ofTable text: String, separator: Character = ",") -> [(place: String, text: String)] {
        var found: [(String, String)] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let names = lines.first?.split(separator: separator, omittingEmptySubsequences: false) else { return [] }
        for (row, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let cells = line.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
            for column in cells.indices where !cells[column].isEmpty {
                for other in ["", "§"] {
                    var changed = cells
                    changed[column] = other
                    var all = lines
                    all[row] = changed.joined(separator: String(separator))
                    let name = names.indices.contains(column) ? String(names[column]) : "\(column)"
                    found.append(("\(name): “\(other)”", all.joined(separator: "\n")))
                }
            }
        }
        return found
    }
}
