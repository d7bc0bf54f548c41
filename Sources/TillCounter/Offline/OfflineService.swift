import Foundation
public import TillCheckout
public import TillCore
public import TillJournal
public import TillOffline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Offline payments of this counter: the log, the provider that stores into it, and the forwarder.
public struct OfflineService: Sendable {
    /// The configuration.
    public let options: OfflineOptions
    /// The forwarder of stored payments.
    public let forwarder: any OfflineForwarder
    public let provider: OfflineProvider
    package let clock: any TillClock
    package let journal: any Journal
    private let holder: OfflineLogHolder

    /// Creates a service; the log is opened on first use.
    /// - Parameter online: The provider that authorizes forwarded payments.
    public init(
        _ options: OfflineOptions, journal: any Journal & RecordStore, online: any PaymentServiceProvider,
        forwarder: any OfflineForwarder, clock: any TillClock
    ) {
        self.options = options
        self.forwarder = forwarder
        self.clock = clock
        self.journal = journal
        let holder = OfflineLogHolder(options, keys: forwarder.keys, journal: journal, clock: clock)
        self.holder = holder
        provider = OfflineProvider(online: online, policy: options.policy, clock: clock) {
            () async throws(OfflineLogError) in try await holder.log(creating: true)
        }
    }

    /// Returns the log of stored payments, opened once.
    /// - Parameter creating: `true` creates the log if there is none.
    /// - Throws: `OfflineLogError.noLog` if there is none and none is created.
    public func log(creating: Bool = false) async throws(OfflineLogError) -> OfflineLog {
        try await holder.log(creating: creating)
    }

    /// Rereads the whole log and checks it against every stored payment of the journal.
    /// - Returns: The log, and the number of its entries confirmed by the journal.
    public func verify() async throws(OfflineLogError) -> (log: OfflineLog, marks: Int) {
        let marks = try await holder.marks(all: true)
        return (try await holder.open(creating: false, marks: marks), marks.count)
    }

    /// Forwards stored payments and applies the provider's decisions in the engine.
    public func sync(with checkout: Checkout) async throws(OfflineLogError) -> OfflineSync {
        let (journal, wanted) = (journal, ProcessInfo.processInfo.environment["TILL_OFFLINE_FAILPOINT"])
        return OfflineSync(
            log: try await log(), forwarder: forwarder, clock: clock,
            check: { record in try await OfflineService.reasonAgainst(record, journal) },
            failpoint: { name in
                // Only the process environment can enable a failpoint, as with the engine's own.
                if let wanted, wanted == name { kill(getpid(), SIGKILL) }
            },
            settle: { record, _ in await OfflineService.settle(record, checkout, journal) })
    }

    /// Contacts the provider. Cards are stored only for a time after the last contact.
    public func contact() async throws(OfflineLogError) -> ContactAnswer {
        let log = try await log(creating: true)
        let checkpoint = try log.checkpoint()
        let answer = await forwarder.contact(checkpoint, from: log.header)
        if case .reached = answer { try await log.noteContact() }
        return answer
    }

    /// Returns the journal's objection to forwarding a stored card; `nil` if there is none.
    /// - Throws: The journal's error if it cannot be read, which is no objection to the card.
    static func reasonAgainst(
        _ record: StoredRecord, _ journal: any Journal
    ) async throws(JournalError) -> String? {
        let stored: Payment?
        switch try await journal.readable(record.payment) {
        case .success(let payment): stored = payment
        // This card waits for an operator, without blocking others.
        case .failure(let damage):
            return "The events of payment \(record.payment) cannot be read (\(damage.reason)); see till journal verify."
        }
        guard let found = stored else { return "The journal has no payment \(record.payment) for it." }
        guard let attempt = found.attempts.first(where: { $0.id == record.attempt }) else {
            return "The payment \(record.payment) has no attempt \(record.attempt)."
        }
        guard attempt.amount == record.amount, found.order.id == record.order else {
            return "The payment \(record.payment) is for something else."
        }
        switch attempt.state {
        case .inFlight, .stored, .unknown: return nil
        case .requiresAction, .authorized, .declined, .notSent, .voided, .expired:
            return "The journal has closed this attempt already."
        }
    }

    /// Has the engine query the payment at the provider `offline`, which finds the decision in the log by now.
    static func settle(
        _ record: StoredRecord, _ checkout: Checkout, _ journal: any Journal
    ) async -> OfflineSync.SettleOutcome {
        do {
            try await checkout.query(record.payment)
            guard let payment = try await journal.payment(record.payment),
                let attempt = payment.attempts.first(where: { $0.id == record.attempt })
            else { return .notYet(reason: "payment \(record.payment) is not in the journal") }
            guard attempt.isUndecided else { return .settled }
            return .notYet(reason: "payment \(record.payment) is still \(payment.status.rawValue)")
        } catch {
            return .notYet(reason: "\(error)")
        }
    }
}

/// Opens the log once for each process, with the device's key and the journal's entries.
actor OfflineLogHolder {
    private let options: OfflineOptions
    private let keys: OfflineProviderKeys
    private let journal: any Journal & RecordStore
    private let clock: any TillClock
    /// Made when it is needed: the name of the machine, which it holds, is asked of the system's resolver.
    private lazy var places = OfflineLogPlaces(store: journal, here: options.place)
    private var opened: OfflineLog?

    init(
        _ options: OfflineOptions, keys: OfflineProviderKeys, journal: any Journal & RecordStore, clock: any TillClock
    ) {
        self.options = options
        self.keys = keys
        self.journal = journal
        self.clock = clock
    }

    func log(creating: Bool) async throws(OfflineLogError) -> OfflineLog {
        if let opened { return opened }
        let marks = try await marks(all: false)
        // Another task may have opened it meanwhile.
        if let opened { return opened }
        let log = try open(creating: creating, marks: marks)
        do throws(JournalError) { try await places.note(log.header.log) } catch {
            throw OfflineLogHolder.failure(error)
        }
        return log
    }

    func open(creating: Bool, marks: [LogMark]) throws(OfflineLogError) -> OfflineLog {
        let folder = DiskFolder(path: options.folder)
        let log = try OfflineLog.open(
            in: folder, device: try device(folder, creating: creating), provider: keys, clock: clock, marks: marks,
            creating: creating)
        opened = log
        return log
    }

    /// Returns the device's key, which is created with the log and readable by its owner only.
    private func device(_ folder: DiskFolder, creating: Bool) throws(OfflineLogError) -> OfflineDevice {
        do throws(DurableFileError) {
            if let device = try storedDevice(folder) { return device }
            if creating { try makeKey(in: folder) }
            if let device = try storedDevice(folder) { return device }
        } catch {
            throw .disk(error)
        }
        throw .noLog
    }

    private func storedDevice(_ folder: DiskFolder) throws(DurableFileError) -> OfflineDevice? {
        guard let file = try folder.open(OfflineOptions.keyName, creating: false) else { return nil }
        let text = String(decoding: try file.read(at: 0, count: 128), as: UTF8.self)
        guard let bytes = Hex.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            let device = OfflineDevice(name: options.device, key: Secret(bytes))
        else { throw DurableFileError(operation: "read", reason: "\(OfflineOptions.keyName) is no key") }
        return device
    }

    /// Creates the key, unless another process has created it meanwhile.
    private func makeKey(in folder: DiskFolder) throws(DurableFileError) {
        guard let turn = try folder.open(OfflineOptions.keyName + ".lock", creating: true) else { return }
        try turn.lock()
        defer { turn.unlock() }
        guard try folder.open(OfflineOptions.keyName, creating: false) == nil else { return }
        let made = OfflineDevice.makeKey()
        guard let file = try folder.open(OfflineOptions.keyName + ".new", creating: true) else {
            throw DurableFileError(operation: "open", reason: "the key could not be made")
        }
        try file.truncate(to: 0)
        try file.write(Array((Hex.lowercase(made.reveal()) + "\n").utf8), at: 0)
        try file.sync()
        try folder.replace(OfflineOptions.keyName, with: OfflineOptions.keyName + ".new")
    }

    /// The number of payments searched for the newest entry.
    private static let newestMarks = 20

    /// Returns the journal's stored entries: the newest, or all; other machines' logs are excluded.
    func marks(all: Bool) async throws(OfflineLogError) -> [LogMark] {
        var marks: [LogMark] = []
        // The newest may be unreadable.
        let size = all ? JournalLimits.maximumPage : OfflineLogHolder.newestMarks
        var filter = PaymentFilter(status: .stored, limit: size)
        var isElsewhere: [String: Bool] = [:]
        do throws(JournalError) {
            while true {
                let rows = try await journal.rowReadings(filter)
                for row in rows {
                    guard case .success(let payment?) = try await journal.readable(row.id),
                        case .stored(let tap) = payment.currentAttempt?.state, let mark = LogMark(tap.record)
                    else { continue }
                    let isOther: Bool
                    if let known = isElsewhere[mark.log] {
                        isOther = known
                    } else {
                        isOther = try await places.isElsewhere(mark.log)
                        isElsewhere[mark.log] = isOther
                    }
                    guard !isOther else { continue }
                    marks.append(mark)
                    if !all { return marks }
                }
                guard rows.count == filter.limit, let last = rows.last else { return marks }
                filter.before = last.id
                filter.limit = JournalLimits.maximumPage
            }
        } catch { throw OfflineLogHolder.failure(error) }
    }

    private static func failure(_ error: JournalError) -> OfflineLogError {
        .disk(DurableFileError(operation: "read of the journal", reason: "\(error)"))
    }
}
