import TillCore
import TillJournal

/// What tells the counter of one journal from others on the same machine. It is no secret.
struct CounterInstance: RecordDocument {
    static let collection: RecordCollection = "counter_instance"
    /// The one record of the collection has this key.
    static let key = "id"
    /// Bytes of an identifier.
    static let bytes = 4

    /// Eight hexadecimal digits, drawn once for each journal.
    let id: String

    init(id: String) { self.id = id }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.endObject()
        return Record(RecordID(CounterInstance.collection, CounterInstance.key), body: writer.bytes)
    }

    init(_ stored: KeptRecord) throws(JournalError) { id = try RecordBody(stored).text("id") }

    /// That of a journal; made when it is asked for the first time.
    static func id(in store: any RecordStore) async throws(JournalError) -> String {
        let records = Records<CounterInstance>(store)
        if let known = try await records.document(key) { return known.id }
        let made = CounterInstance(id: SecretToken.make(bytes: bytes))
        try await store.change([.insertIfAbsent(made.record)])
        return try await records.document(key)?.id ?? made.id
    }
}
