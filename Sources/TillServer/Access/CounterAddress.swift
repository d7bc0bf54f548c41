import TillCore
public import TillJournal
import TillProvider

/// Where the counter of a journal was last opened, so that `till sign-in` can name its page.
public struct CounterAddress: RecordDocument, Hashable {
    public static let collection: RecordCollection = "counter_address"
    /// The one record of the collection has this key.
    public static let key = "last"

    /// As `http://127.0.0.1:8080`, without a slash at its end.
    public let url: String

    public init(url: String) { self.url = url }

    /// That of a counter that listens there. One that listens everywhere is named as it is reached on its own machine.
    public init(host: String, port: Int, isSecure: Bool = false) {
        let name =
            switch host {
            case "0.0.0.0", "": "127.0.0.1"
            case "::", "[::]": "[::1]"
            default: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            }
        url = "\(isSecure ? "https" : "http")://\(name):\(port)"
    }

    /// An address that a person named: scheme, host and port; `nil` for anything else.
    public init?(page text: String) {
        guard Setting.isWebAddress(text), let origin = RequestAuthenticator.origin(of: text),
            text.lowercased() == origin || text.lowercased() == origin + "/"
        else { return nil }
        url = origin
    }

    /// As it is written.
    public var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("url", url)
        writer.endObject()
        return Record(RecordID(CounterAddress.collection, CounterAddress.key), body: writer.bytes)
    }

    /// As it was read.
    public init(_ stored: KeptRecord) throws(JournalError) { url = try RecordBody(stored).text("url") }

    /// The address that begins a session. The code is behind the sign that no browser sends to a server, so it is in no
    /// log of one, and a preview of the link does not spend it.
    public func start(code: String) -> String { "\(url)/#start=\(code)" }

    /// The address at which somebody of the staff chooses what they sign in to the back office with.
    public func invitation(_ word: String) -> String { CounterAddress.invitation(word, at: url) }

    static func invitation(_ word: String, at url: String) -> String { "\(url)/#invite=\(word)" }
}
