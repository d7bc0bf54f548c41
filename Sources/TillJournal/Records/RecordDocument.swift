public import TillCore

/// A feature's own type, stored as records of one collection. The feature defines the conversion in both directions.
public protocol RecordDocument: Sendable {
    /// The collection of its documents.
    static var collection: RecordCollection { get }
    /// The document as a record to write.
    var record: Record { get }
    /// Decodes a stored document.
    /// - Throws: ``JournalError/corrupted(_:)`` if it is invalid, as thrown by ``RecordBody``.
    init(_ stored: KeptRecord) throws(JournalError)
}

/// The JSON body of a record, read member by member. A member that is missing or of another type is reported as damage.
public struct RecordBody: Sendable {
    private let id: RecordID
    public let json: JSONValue

    /// - Throws: ``JournalError/corrupted(_:)`` if it is no JSON document.
    public init(_ stored: KeptRecord) throws(JournalError) {
        id = stored.id
        do { json = try JSONValue(parsing: stored.body) } catch {
            throw .corrupted("the record \(stored.id) is no JSON document")
        }
    }

    /// Returns the error for a member that is missing or of another type.
    public func damaged(_ member: String) -> JournalError {
        .corrupted("“\(member)” of the record \(id) is missing or of another kind")
    }

    /// Returns a required text member.
    public func text(_ member: String) throws(JournalError) -> String { try need(member, json[member]?.stringValue) }
    /// Returns a required integer member.
    public func int(_ member: String) throws(JournalError) -> Int64 { try need(member, json[member]?.int64Value) }
    /// Returns a required Boolean member.
    public func bool(_ member: String) throws(JournalError) -> Bool { try need(member, json[member]?.boolValue) }
    /// Returns a required member with bytes in hexadecimal.
    public func bytes(_ member: String) throws(JournalError) -> [UInt8] {
        try need(member, json[member]?.stringValue.flatMap { Hex.decode($0) })
    }
    /// Returns an optional text member.
    public func optionalText(_ member: String) -> String? { json[member]?.stringValue }
    /// Returns an optional integer member.
    public func optionalInt(_ member: String) -> Int64? { json[member]?.int64Value }
    /// Returns an optional member that is a document of its own; `nil` for `null`.
    public func optionalDocument(_ member: String) -> [UInt8]? {
        json[member].flatMap { $0.isNull ? nil : $0.bytes() }
    }

    private func need<Value>(_ member: String, _ value: Value?) throws(JournalError) -> Value {
        guard let value else { throw damaged(member) }
        return value
    }
}

/// The documents of one type in a record store.
public struct Records<Document: RecordDocument>: Sendable {
    /// The maximum number of attempts at a change after conflicts with other writers.
    public static var maximumConflicts: Int { 16 }

    private let store: any RecordStore

    /// Creates a view of a store's documents.
    public init(_ store: any RecordStore) { self.store = store }

    /// Returns a document; `nil` if there is none.
    public func document(_ key: String) async throws(JournalError) -> Document? {
        guard let stored = try await store.record(RecordID(Document.collection, key)) else { return nil }
        return try Document(stored)
    }

    /// Returns documents in the given order.
    public func list(
        matching match: RecordMatch? = nil, _ order: RecordOrder = .oldestFirst(),
        limit: Int = RecordLimits.maximumPage
    ) async throws(JournalError) -> [Document] {
        let stored = try await store.records(RecordQuery(Document.collection, matching: match, order, limit: limit))
        return try stored.map { (record) throws(JournalError) in try Document(record) }
    }

    /// Calls `body` with documents page by page, oldest first, until there are no more or `most` were read. Concurrent
    /// changes may or may not be included; `body` may change or delete the document.
    public func forEach(
        matching match: RecordMatch? = nil, atMost most: Int = .max,
        _ body: (Document) async throws(JournalError) -> Void
    ) async throws(JournalError) {
        var (read, position): (Int, Int64?) = (0, nil)
        while read < most {
            let page = try await store.records(
                RecordQuery(Document.collection, matching: match, .oldestFirst(after: position)))
            guard let last = page.last else { return }
            position = last.position
            read += page.count
            for kept in page { try await body(try Document(kept)) }
        }
    }

    /// Returns the number of documents.
    public func count(matching match: RecordMatch? = nil) async throws(JournalError) -> Int {
        try await store.count(Document.collection, matching: match)
    }

    /// Adds a document. Durable when it returns.
    /// - Throws: ``JournalError/recordConflict(_:current:)`` if the key exists.
    public func insert(_ document: Document) async throws(JournalError) {
        try await store.change([.insert(document.record)])
    }

    /// Writes a document, replacing any of the same key. Durable when it returns.
    /// - Parameter notes: audit log entries, in the same commit.
    public func put(_ document: Document, noting notes: [AuditNote] = []) async throws(JournalError) {
        let record = document.record
        for tries in 1... {
            let known = try await store.record(record.id)
            do throws(JournalError) {
                return try await store.change([.put(record, over: known)], noting: notes)
            } catch { guard case .recordConflict = error, tries < Self.maximumConflicts else { throw error } }
        }
    }

    /// Returns the newest documents, newest first, across several pages if needed.
    public func newest(_ limit: Int) async throws(JournalError) -> [Document] {
        var found: [Document] = []
        var position: Int64?
        while found.count < limit {
            let page = try await store.records(
                RecordQuery(Document.collection, .newestFirst(before: position), limit: limit - found.count))
            guard let last = page.last else { break }
            position = last.position
            found += try page.map { (record) throws(JournalError) in try Document(record) }
        }
        return found
    }

    /// Applies a change to the newest state and writes it; repeated after a conflict with another writer. Durable when
    /// it returns.
    /// - Parameters:
    ///   - notes: audit log entries, in the same commit; none if `body` leaves the document unchanged.
    ///   - body: changes the document, or returns `false` to leave it unchanged.
    /// - Returns: the written document; `nil` if there is none, or if `body` left it unchanged.
    @discardableResult
    public func update(
        _ key: String, noting notes: [AuditNote] = [], _ body: (inout Document) throws(JournalError) -> Bool
    ) async throws(JournalError) -> Document? {
        let id = RecordID(Document.collection, key)
        for _ in 1..<Self.maximumConflicts {
            guard let stored = try await store.record(id) else { return nil }
            do throws(JournalError) { return try await write(stored, notes, body) } catch {
                guard case .recordConflict = error else { throw error }
            }
        }
        guard let stored = try await store.record(id) else { return nil }
        return try await write(stored, notes, body)
    }

    private func write(
        _ stored: KeptRecord, _ notes: [AuditNote], _ body: (inout Document) throws(JournalError) -> Bool
    ) async throws(JournalError) -> Document? {
        var document = try Document(stored)
        guard try body(&document) else { return nil }
        try await store.change([.update(document.record, from: stored.version)], noting: notes)
        return document
    }

    /// Deletes a document at any version. Durable when it returns.
    /// - Parameter notes: audit log entries, in the same commit; none if there is no such document.
    /// - Returns: `false` if there is none.
    public func delete(_ key: String, noting notes: [AuditNote] = []) async throws(JournalError) -> Bool {
        let id = RecordID(Document.collection, key)
        while let stored = try await store.record(id) {
            do throws(JournalError) {
                try await store.change([.delete(id, from: stored.version)], noting: notes)
                return true
            } catch { guard case .recordConflict = error else { throw error } }
        }
        return false
    }
}
