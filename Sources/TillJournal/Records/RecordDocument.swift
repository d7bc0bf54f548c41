public import TillCore

/// A feature's own type, kept as records of one collection. The feature says how it becomes a record and back.
public protocol RecordDocument: Sendable {
    /// Where its documents are.
    static var collection: RecordCollection { get }
    /// The document as it is to be written.
    var record: Record { get }
    /// A document that was read.
    /// - Throws: ``JournalError/corrupted(_:)`` if it cannot be one; ``RecordBody`` throws it.
    init(_ stored: KeptRecord) throws(JournalError)
}

/// The JSON body of a record, read member by member. What is missing or of another kind is a damaged journal and named.
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

    /// That a member is missing or of another kind.
    public func damaged(_ member: String) -> JournalError {
        .corrupted("“\(member)” of the record \(id) is missing or of another kind")
    }

    /// A member that must be text.
    public func text(_ member: String) throws(JournalError) -> String { try need(member, json[member]?.stringValue) }
    /// A member that must be an integer.
    public func int(_ member: String) throws(JournalError) -> Int64 { try need(member, json[member]?.int64Value) }
    /// A member that must be `true` or `false`.
    public func bool(_ member: String) throws(JournalError) -> Bool { try need(member, json[member]?.boolValue) }
    /// A member that must be bytes in hexadecimal.
    public func bytes(_ member: String) throws(JournalError) -> [UInt8] {
        try need(member, json[member]?.stringValue.flatMap { Hex.decode($0) })
    }
    /// A member that is text, or `null`, or not there.
    public func optionalText(_ member: String) -> String? { json[member]?.stringValue }
    /// A member that is an integer, or `null`, or not there.
    public func optionalInt(_ member: String) -> Int64? { json[member]?.int64Value }
    /// A member that is a document of its own; `nil` for `null`.
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
    /// How often a change is decided again because another writer came first.
    public static var maximumConflicts: Int { 16 }

    private let store: any RecordStore

    /// Those of a store.
    public init(_ store: any RecordStore) { self.store = store }

    /// A document; `nil` if there is none.
    public func document(_ key: String) async throws(JournalError) -> Document? {
        guard let stored = try await store.record(RecordID(Document.collection, key)) else { return nil }
        return try Document(stored)
    }

    /// Documents in an order.
    public func list(
        matching match: RecordMatch? = nil, _ order: RecordOrder = .oldestFirst(),
        limit: Int = RecordLimits.maximumPage
    ) async throws(JournalError) -> [Document] {
        let stored = try await store.records(RecordQuery(Document.collection, matching: match, order, limit: limit))
        return try stored.map { (record) throws(JournalError) in try Document(record) }
    }

    /// Hands out documents page by page, the oldest first, until there are no more or `most` were read. What others
    /// change meanwhile may or may not be among them; `body` may change or delete what it gets.
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

    /// How many there are.
    public func count(matching match: RecordMatch? = nil) async throws(JournalError) -> Int {
        try await store.count(Document.collection, matching: match)
    }

    /// Adds a document. Durable when it returns.
    /// - Throws: ``JournalError/recordConflict(_:current:)`` if there is one of its key.
    public func insert(_ document: Document) async throws(JournalError) {
        try await store.change([.insert(document.record)])
    }

    /// Writes a document, whether there is one of its key or not. Durable when it returns.
    /// - Parameter notes: entries of the audit log, in the same commit.
    public func put(_ document: Document, noting notes: [AuditNote] = []) async throws(JournalError) {
        let record = document.record
        for tries in 1... {
            let known = try await store.record(record.id)
            do throws(JournalError) {
                return try await store.change([.put(record, over: known)], noting: notes)
            } catch { guard case .recordConflict = error, tries < Self.maximumConflicts else { throw error } }
        }
    }

    /// The newest documents, newest first, also more than one page.
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

    /// Decides a change on the newest state and writes it; decided again when another writer came first.
    /// Durable when it returns.
    /// - Parameters:
    ///   - notes: entries of the audit log, in the same commit; none if `body` leaves the document.
    ///   - body: changes the document, or returns `false` to leave it as it is.
    /// - Returns: what was written; `nil` if there is no such document, or if `body` left it.
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

    /// Removes a document, whatever it says. Durable when it returns.
    /// - Returns: `false` if there is none.
    public func delete(_ key: String) async throws(JournalError) -> Bool {
        let id = RecordID(Document.collection, key)
        while let stored = try await store.record(id) {
            do throws(JournalError) {
                try await store.change([.delete(id, from: stored.version)])
                return true
            } catch { guard case .recordConflict = error else { throw error } }
        }
        return false
    }
}
