/// The hosts of an address: `postgresql://till@db1,db2:5433/till` has two.
///
/// libpq tries them in turn by itself, but with the full time limit for each: a host that accepts the connection and
/// stays silent, such as a stopped machine, would keep it from the next one.
struct PostgresHosts: Equatable {
    struct Host: Equatable {
        let name: String
        let port: String
    }

    /// The hosts in the address's order; empty if libpq is to parse the address itself: a single host, a socket, or a
    /// list elsewhere.
    let hosts: [Host]

    init(_ address: String) {
        hosts = PostgresHosts.read(address) ?? []
    }

    private static func read(_ address: String) -> [Host]? {
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://") else { return nil }
        let rest = address[colon...].dropFirst(3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let list = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        // libpq decodes percent-encoded names, such as a socket's folder.
        guard list.contains(","), !list.contains("%") else { return nil }
        var hosts: [Host] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let host = host(part) else { return nil }
            hosts.append(host)
        }
        return hosts
    }

    private static func host(_ text: Substring) -> Host? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let after = text[text.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { return nil }
            return Host(name: String(text[text.index(after: text.startIndex)..<end]), port: String(after.dropFirst()))
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty else { return nil }
        return Host(name: String(name), port: parts.count > 1 ? String(parts[1]) : "")
    }
}
