import TillCore
package import TillJournal

/// The non-secret identifier that distinguishes the counter of one journal from others on the same machine.
package struct CounterInstance: RecordDocument {
    package static let collection: RecordCollection = "counter_instance"
    /// The key of the collection's only record.
    package static let key = "id"
    /// The length of an identifier in bytes.
    package static let bytes = 4

    /// Eight hexadecimal digits, generated once for each journal.
    package let id: String

    package init(id: String) { self.id = id }

    package var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.endObject()
        return Record(RecordID(CounterInstance.collection, CounterInstance.key), body: writer.bytes)
    }

    package init(_ stored: KeptRecord) throws(JournalError) { id = try RecordBody(stored).text("id") }

    /// Returns the identifier of a journal, creating it on first use.
    package static func id(in store: any RecordStore) async throws(JournalError) -> String {
        let records = Records<CounterInstance>(store)
        if let known = try await records.document(key) { return known.id }
        let made = CounterInstance(id: SecretToken.make(bytes: bytes))
        try await store.change([.insertIfAbsent(made.record)])
        return try await records.document(key)?.id ?? made.id
    }
}
