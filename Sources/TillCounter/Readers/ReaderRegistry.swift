import Foundation
import TillCore
package import TillJournal
package import TillProvider

/// The reader that a counter uses by default.
package struct ReaderChoice: Hashable, Sendable {
    /// The provider's permanent identifier.
    package let id: String
    /// The label at the time of the choice.
    package let label: String
}

/// The card readers of a counter: their administration at the provider, and the reader used by default, which is in a
/// small file beside the journal.
///
/// Each change is in the audit log before it is made, so that none goes unrecorded. An entry remains if the provider
/// then refuses the change.
package struct ReaderRegistry: Sendable {
    /// The maximum size of the file with the choice, in bytes.
    private static let maximumBytes = 4_096

    private let journal: any CounterStore

    private var file: String { journal.path + "-reader.json" }

    /// Creates the registry of a journal's counter.
    package init(_ journal: any CounterStore) { self.journal = journal }

    // MARK: At the provider

    /// Registers a reader with the provider's account.
    /// - Parameter code: The registration code on the reader's screen; not stored.
    /// - Throws: `ReaderError` if it is refused, `JournalError` if it could not be noted; nothing was registered then.
    package func register(
        code: String, label: String?, location: String?, with management: any ReaderManagement
    ) async throws -> CounterReader {
        guard code.contains(where: { !$0.isWhitespace }) else {
            throw ReaderError(
                .invalid(field: "code"), code: "registration_code_missing", "The registration code is empty.",
                next: "Read the code from the reader's screen.")
        }
        let changes = location.map { [AuditChange("location", to: $0)] } ?? []
        try await journal.note([AuditNote(.readerRegistered, subject: label, changes: changes)])
        return try await management.register(code: code, label: label, location: location)
    }

    /// Renames a reader.
    /// - Throws: `ReaderError` if it is refused, `JournalError` if it could not be noted; nothing was changed then.
    package func rename(
        _ reader: CounterReader, to label: String, with management: any ReaderManagement
    ) async throws -> CounterReader {
        try await journal.note([
            AuditNote(
                .readerChanged, subject: reader.id, changes: [AuditChange("label", from: reader.label, to: label)])
        ])
        return try await management.rename(reader.id, to: label)
    }

    /// Removes a reader from the provider's account. If it is the default one, the counter has none afterwards.
    /// - Throws: `ReaderError` if it is refused, `JournalError` if it could not be noted; nothing was removed then.
    package func remove(_ reader: CounterReader, with management: any ReaderManagement) async throws {
        try await journal.note([
            AuditNote(.readerRemoved, subject: reader.id, changes: [AuditChange("label", from: reader.label, to: nil)])
        ])
        try await management.remove(reader.id)
        if chosen()?.id == reader.id { try clear() }
    }

    // MARK: The default reader

    /// Returns the default reader; `nil` if none is chosen.
    package func chosen() -> ReaderChoice? {
        guard let data = FileManager.default.contents(atPath: file), data.count < ReaderRegistry.maximumBytes,
            let json = JSONValue(ifValid: Array(data)), let id = json["id"]?.stringValue
        else { return nil }
        return ReaderChoice(id: id, label: json["label"]?.stringValue ?? id)
    }

    /// Makes a reader the default, from now on and after a restart.
    /// - Throws: `ReaderError` if a phone drives it or the file cannot be written, `JournalError` if it could not be
    ///   noted; the default is unchanged then.
    package func choose(_ reader: CounterReader) async throws {
        guard !reader.needsPhone else {
            throw ReaderError(
                .refused, code: "reader_needs_phone", "\(reader.label) is driven by a phone, not by this counter.",
                next: "Choose a smart reader.")
        }
        try await journal.note([
            AuditNote(
                .readerChosen, subject: reader.id, changes: [AuditChange("id", from: chosen()?.id, to: reader.id)])
        ])
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", reader.id)
        writer.field("label", reader.label)
        writer.endObject()
        do {
            try Data(writer.bytes).write(to: URL(filePath: file), options: .atomic)
        } catch { throw notWritten }
    }

    /// Removes the choice, so that a sale must name a reader.
    /// - Returns: The former default.
    /// - Throws: `ReaderError` if no reader was chosen.
    package func forget() async throws -> ReaderChoice {
        guard let choice = chosen() else {
            throw ReaderError(
                .refused, code: "reader_not_connected", "No reader is connected.",
                next: "Connect one: till readers connect.")
        }
        try await journal.note([
            AuditNote(.readerChosen, subject: choice.id, changes: [AuditChange("id", from: choice.id, to: nil)])
        ])
        try clear()
        return choice
    }

    private func clear() throws(ReaderError) {
        do { try FileManager.default.removeItem(atPath: file) } catch {
            // Another request removed it meanwhile.
            if FileManager.default.fileExists(atPath: file) { throw notWritten }
        }
    }

    private var notWritten: ReaderError {
        ReaderError(
            .unavailable, code: "not_written", "The choice could not be written to \(file).",
            next: "Check the folder's rights and the disk.")
    }
}
