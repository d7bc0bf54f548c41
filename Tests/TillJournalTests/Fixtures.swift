import Foundation
import Synchronization
import TillCore
import TillPostgres
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// A value that several tasks share.
final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
}

/// A storage of any kind and the processes on it.
final class Site: Sendable {
    enum Kind: String, Sendable, CaseIterable { case sqlite, memory, postgres }

    /// Some time after the sales.
    let clock = ManualClock(Sale.start.adding(.hours(1)))
    let folder: String
    private let kind: Kind
    private let storage = MemoryJournal.Storage()
    /// Its schema, made when it is opened first.
    private let database = Mutex<String?>(nil)

    init(_ kind: Kind) {
        self.kind = kind
        folder = Site.root + "/" + UUID().uuidString
    }

    /// Emptied when the next run begins, since a journal may outlive its site.
    private static let root: String = {
        let root = FileManager.default.temporaryDirectory.path + "/till-journal-tests"
        try? FileManager.default.removeItem(atPath: root)
        return root
    }()

    var path: String { folder + "/journal.sqlite" }

    /// One more process opens the storage.
    func open(onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil) throws -> any Journal {
        switch kind {
        case .sqlite: try SQLiteJournal.open(at: path, clock: clock, onCommit: onCommit)
        case .memory: MemoryJournal(storage: storage, clock: clock, onCommit: onCommit)
        case .postgres: try PostgresJournal.open(at: address(), files: path, clock: clock, onCommit: onCommit)
        }
    }

    /// Of its schema in the database of the tests.
    func address() throws -> String {
        let cluster = try PostgresCluster.shared.get()
        return try database.withLock { known in
            let address = try known ?? cluster.address(schema)
            known = address
            return address
        }
    }

    var schema: String { "s" + folder.suffix(36).lowercased().replacing("-", with: "") }

    /// Copies the file and its log of another site as they are at this moment: what a power cut leaves.
    func takeFiles(of other: Site) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for suffix in ["", "-wal"] {
            try Data(contentsOf: URL(fileURLWithPath: other.path + suffix))
                .write(to: URL(fileURLWithPath: path + suffix))
        }
    }

    /// A process ends with whatever it holds.
    func end(_ journal: any Journal) async throws {
        if let journal = journal as? SQLiteJournal { try await journal.close() }
        if let journal = journal as? MemoryJournal { journal.crash() }
        if let journal = journal as? PostgresJournal { try await journal.close() }
    }

    func verify(_ journal: any Journal) async throws -> VerificationReport {
        if let journal = journal as? SQLiteJournal { return try await journal.verify() }
        if let journal = journal as? MemoryJournal { return try journal.verify() }
        if let journal = journal as? PostgresJournal { return try await journal.verify() }
        return VerificationReport()
    }
}

/// A payment that is driven by hand.
struct Sale {
    static let start = Timestamp(milliseconds: 1_800_000_000_000)
    private(set) var payment: Payment
    private(set) var events: [RecordedEvent]
    private var written = 0
    private let first: Timestamp

    var attempt: AttemptID { AttemptID(rawValue: "\(payment.id)-a1") }
    var capture: CaptureID { CaptureID(rawValue: "\(payment.id)-c1") }
    var refund: RefundID { RefundID(rawValue: "\(payment.id)-r1") }

    init(
        _ number: Int, order: String? = nil, account: AccountID = .main, at first: Timestamp = Sale.start,
        by actor: Actor? = nil, shop: String? = nil
    ) throws {
        self.first = first
        let id = PaymentID(rawValue: "pay_\(String(100_000 + number))")
        var order = try Order(
            id: OrderID(rawValue: order ?? "order-\(number)"), amount: Money(minorUnits: 1_250, currency: .eur))
        if let shop { order.metadata = try OrderMetadata(["shop": shop]) }
        let creation = PaymentEvent.Creation(payment: id, account: account, order: order, captureMode: .automatic)
        events = [RecordedEvent(.created(creation), at: first, by: actor.map { Attribution($0) })]
        payment = Payment(creation, at: first)
    }

    mutating func add(_ event: PaymentEvent) {
        let record = RecordedEvent(event, at: first.adding(.seconds(Int64(events.count))))
        events.append(record)
        payment.evolve(record)
    }

    mutating func begin() {
        add(
            .attemptStarted(
                .init(
                    attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .card), amount: payment.amount)))
    }

    mutating func pay() {
        begin()
        let authorization = Authorization(
            reference: ProviderReference(rawValue: "sb_\(payment.id)"), amount: payment.amount)
        add(.authorized(attempt, authorization))
        add(.captureStarted(capture, attempt, payment.amount, isFinal: true))
        add(.captured(capture, nil))
    }

    mutating func giveBack() {
        add(.refundStarted(refund, attempt, payment.amount, reason: nil))
        add(.refunded(refund, nil))
    }

    /// What has happened since the last write.
    mutating func append(due: Timestamp? = nil, holder: JournalWrite.Holder = .nobody) -> JournalWrite.Append {
        let append = JournalWrite.Append(
            payment: payment, expectedVersion: written, events: Array(events.dropFirst(written)), nextDue: due,
            holder: holder)
        written = events.count
        return append
    }

    mutating func write(due: Timestamp? = nil, holder: JournalWrite.Holder = .nobody) -> JournalWrite {
        JournalWrite(append: append(due: due, holder: holder))
    }
}
