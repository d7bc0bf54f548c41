/// A method of an address, as it is registered or described.
struct Operation: Hashable, CustomStringConvertible {
    var method: String
    var path: String
    var query: [String]

    var description: String { "\(method) \(path)" + (query.isEmpty ? "" : " ?" + query.joined(separator: "&")) }
}

/// The operations of an OpenAPI document, read from the part of YAML that Till's are written in: two spaces an indent,
/// parameters in one line each or as `- name:` with `in:` below, anchors and aliases for whole mappings.
struct DocumentedOperations {
    private static let methods = ["get", "post", "put", "patch", "delete", "head", "options"]

    /// Operations that say what happens when the query has an unknown parameter: 400, or any problem.
    private(set) var refusing: Set<Operation> = []
    private(set) var all: Set<Operation> = []
    /// What `x-till-scope` says, by method and path; none where it is not there.
    private(set) var scopes: [String: String] = [:]
    /// What `x-till-permission` says, by method and path.
    private(set) var permissions: [String: String] = [:]
    /// Operations that say what happens without the scope.
    private(set) var forbidding: Set<String> = []
    /// Whom each operation is there for, if its description says so.
    private(set) var audiences: [Operation: String] = [:]

    init(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let shared = DocumentedOperations.block(
            "  parameters:", of: DocumentedOperations.block("components:", of: lines))
        let queries = DocumentedOperations.children(of: shared).reduce(into: [String: String]()) { queries, entry in
            queries[entry.name] = DocumentedOperations.query(in: [entry.value] + entry.lines, shared: [:]).first
        }
        var anchors: [String: [String]] = [:]
        func resolved(_ entry: Entry) -> [String] {
            if let anchor = entry.value.wholeMatch(of: /&(\w+)/) { anchors[String(anchor.1)] = entry.lines }
            if let alias = entry.value.wholeMatch(of: /\*(\w+)/) { return anchors[String(alias.1)] ?? [] }
            return entry.lines
        }
        for path in DocumentedOperations.children(of: DocumentedOperations.block("paths:", of: lines)) {
            let members = DocumentedOperations.children(of: resolved(path))
            let common = members.filter { $0.name == "parameters" }
                .flatMap { DocumentedOperations.query(in: [$0.value] + $0.lines, shared: queries) }
            for member in members where DocumentedOperations.methods.contains(member.name) {
                let parts = DocumentedOperations.children(of: resolved(member))
                let own = parts.filter { $0.name == "parameters" }
                    .flatMap { DocumentedOperations.query(in: [$0.value] + $0.lines, shared: queries) }
                let operation = Operation(
                    method: member.name.uppercased(), path: path.name, query: (common + own).sorted())
                all.insert(operation)
                let name = "\(operation.method) \(operation.path)"
                if let scope = parts.first(where: { $0.name == "x-till-scope" }) { scopes[name] = scope.value }
                if let needed = parts.first(where: { $0.name == "x-till-permission" }) {
                    permissions[name] = needed.value
                }
                audiences[operation] = parts.first { $0.name == "x-till-audience" }?.value
                let responses = parts.filter { $0.name == "responses" }
                    .flatMap { DocumentedOperations.children(of: resolved($0)).map(\.name) }
                if responses.contains("\"403\"") { forbidding.insert(name) }
                if responses.contains("\"400\"") || responses.contains("default") { refusing.insert(operation) }
            }
        }
    }

    /// A key of a mapping, what stands behind it in its line, and the lines below it.
    private struct Entry {
        var name: String
        var value: String
        var lines: [String]
    }

    private static func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }

    /// The lines below a line, as far as they are indented more.
    private static func block(_ head: String, of lines: [String]) -> [String] {
        guard let start = lines.firstIndex(of: head) else { return [] }
        return Array(lines[(start + 1)...].prefix { indent($0) > indent(head) })
    }

    private static func children(of lines: [String]) -> [Entry] {
        guard let first = lines.first else { return [] }
        var entries: [Entry] = []
        for line in lines {
            if indent(line) == indent(first), let match = line.wholeMatch(of: /\s*([^\s#-][^:]*):\s*(.*)/) {
                entries.append(Entry(name: String(match.1), value: String(match.2), lines: []))
            } else if !entries.isEmpty {
                entries[entries.count - 1].lines.append(line)
            }
        }
        return entries
    }

    /// The names of parameters that stand in the query.
    private static func query(in lines: [String], shared: [String: String]) -> [String] {
        let text = lines.joined(separator: "\n")
        let named = text.matches(of: /name: ([\w\-]+)(?:,\s*|\n\s*)in: query/).map { String($0.1) }
        let referred = text.matches(of: /\/components\/parameters\/(\w+)/).compactMap { shared[String($0.1)] }
        return named + referred
    }
}
