import TillCore
public import TillJournal
import TillProvider

/// The address at which a journal's counter last listened, so that `till sign-in` can print its page's URL.
public struct CounterAddress: RecordDocument, Hashable {
    public static let collection: RecordCollection = "counter_address"
    /// The key of the collection's only record.
    public static let key = "last"

    /// The base URL, such as `http://127.0.0.1:8080`, without a trailing slash.
    public let url: String

    public init(url: String) { self.url = url }

    /// Creates the address of a listening counter. A wildcard address is replaced by the loopback address.
    public init(host: String, port: Int, isSecure: Bool = false) {
        let name =
            switch host {
            case "0.0.0.0", "": "127.0.0.1"
            case "::", "[::]": "[::1]"
            default: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            }
        url = "\(isSecure ? "https" : "http")://\(name):\(port)"
    }

    /// Parses an address entered by the operator: scheme, host and port; `nil` for anything else.
    public init?(page text: String) {
        guard Setting.isWebAddress(text), let origin = CounterAddress.origin(of: text),
            text.lowercased() == origin || text.lowercased() == origin + "/"
        else { return nil }
        url = origin
    }

    /// The stored form.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("url", url)
        writer.endObject()
        return Record(RecordID(CounterAddress.collection, CounterAddress.key), body: writer.bytes)
    }

    /// Reads the stored form.
    public init(_ stored: KeptRecord) throws(JournalError) { url = try RecordBody(stored).text("url") }

    /// Returns the URL that starts a session. The code is in the fragment, which browsers do not send: it appears in no
    /// server log, and a link preview does not spend it.
    public func start(code: String) -> String { "\(url)/#start=\(code)" }

    /// Returns the URL at which a staff member sets up back office sign-in.
    public func invitation(_ word: String) -> String { CounterAddress.invitation(word, at: url) }

    package static func invitation(_ word: String, at url: String) -> String { "\(url)/#invite=\(word)" }
}

extension CounterAddress {
    /// Returns the scheme, host and port of an address in the form that browsers send.
    package static func origin(of url: String) -> String? {
        let url = url.lowercased()
        guard let scheme = ["https", "http"].first(where: { url.hasPrefix($0 + "://") }) else { return nil }
        let authority = url.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let port = scheme == "https" ? ":443" : ":80"
        return "\(scheme)://" + (authority.hasSuffix(port) ? authority.dropLast(port.count) : authority)
    }
}
