import Dispatch
public import TillCore

/// The log of stored cards: append-only, hash-chained and signed. Every entry is durable before it is acknowledged.
///
/// ```swift
/// guard let device = OfflineDevice(name: "Counter 1", key: key) else { return }
/// let log = try OfflineLog.open(in: folder, device: device, provider: keys, clock: SystemClock())
/// try await log.noteContact()  // the provider was reached
/// let request = OfflinePolicy.Request(amount: Money(minorUnits: 1250, currency: .eur))
/// let reasons = try log.reasonsAgainst(request, policy: OfflinePolicy())
/// print(reasons.isEmpty ? "A card would be stored." : "Not now: \(reasons)")
/// ```
///
/// - An entry survives a power loss once `append(_:)` has returned it. Writers that arrive while the disk is busy share
///   the next sync.
/// - Any number of tasks and processes may use one log: each group takes the file's lock, reads the entries that others
///   have added, decides, writes, syncs.
/// - After a failed write, this process distrusts the log until it has been read again from the disk.
public final class OfflineLog: Sendable {
    /// The maximum number of entries waiting for the disk.
    public static let mostWaiting = 8_192
    /// The maximum number of entries that share one sync.
    public static let mostTogether = 1_024
    /// Number of entries after which the device signs the chain.
    public static let checkpointInterval = 256
    /// The log is compacted when resolved or withdrawn payments account for this many bytes and at least half of it.
    public static let compactionBytes = 1 << 20
    /// The default file name of the log.
    public static let defaultName = "offline.log"

    public enum Commits: Sendable {
        /// On the log's own queue.
        case onOwnQueue
        /// On the caller's thread, for simulations and tools.
        case inline
    }

    /// Counters since the log was opened.
    public struct Statistics: Hashable, Sendable {
        public var entries = 0
        /// Number of disk syncs.
        public var syncs = 0
        /// The largest number of appends that shared one sync.
        public var largestGroup = 0
    }

    /// One written entry.
    public struct Receipt: Hashable, Sendable {
        /// Sequence and hash of the entry.
        public var mark: LogMark
    }

    package typealias Decision = @Sendable (OfflineLedger) throws(OfflineLogError) -> [OfflineEvent]
    private struct Item: Sendable {
        var decide: Decision
        var done: @Sendable (Result<[Receipt], OfflineLogError>) -> Void
    }
    private struct Waiting {
        var items: [Item] = []
        var isDraining = false
    }
    struct State {
        var file: any DurableFile
        var walk: LogWalk
        /// The newest durable entry.
        var durable: UInt64
        var statistics = Statistics()
        /// `true` if the file must be read again before use.
        var isStale = false
        /// Length of a torn tail that was truncated when the log was opened or read again, in bytes.
        var healed = 0
    }

    let folder: any DurableFolder
    let name: String
    /// The signing device.
    public let device: OfflineDevice
    let clock: any TillClock
    let state: Guarded<State>
    private let waiting = Guarded(Waiting())
    private let commits: Commits
    private let queue = DispatchQueue(label: "till.offline.log")
    private let checksMarks: [LogMark]

    private init(
        folder: any DurableFolder, name: String, device: OfflineDevice, clock: any TillClock, commits: Commits,
        marks: [LogMark], header: LogHeader, state: State
    ) {
        self.header = header
        self.folder = folder
        self.name = name
        self.device = device
        self.clock = clock
        self.commits = commits
        checksMarks = marks
        self.state = Guarded(state)
    }

    // MARK: Opening

    /// Opens a log, verifies all of it, and truncates the remains of unacknowledged writes after a power loss.
    /// - Parameters:
    ///   - provider: the provider that cards are sealed for. A log that is for another one is refused.
    ///   - marks: entries that are known to have been there.
    ///   - creating: creates the log if there is none.
    /// - Throws: ``OfflineLogError/damaged(_:)`` with the damage's name; ``OfflineLogError/noLog``.
    public static func open(
        in folder: any DurableFolder, named name: String = defaultName, device: OfflineDevice,
        provider: OfflineProviderKeys, clock: any TillClock, marks: [LogMark] = [], creating: Bool = true,
        commits: Commits = .onOwnQueue, random: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
    ) throws(OfflineLogError) -> OfflineLog {
        do {
            guard
                let file = try folder.open(name, creating: false)
                    ?? create(
                        name, in: folder, device: device, provider: provider, at: clock.now(), marks: marks,
                        creating: creating, random: random)
            else { throw OfflineLogError.noLog }
            try file.lock()
            defer { file.unlock() }
            let state = try read(
                file, device: device, provider: provider, marks: marks, folder: folder, name: name)
            guard let header = state.walk.book.header else { throw OfflineLogError.noLog }
            return OfflineLog(
                folder: folder, name: name, device: device, clock: clock, commits: commits, marks: marks,
                header: header, state: state)
        } catch {
            throw OfflineLogError(error)
        }
    }

    /// Creates a new log under a temporary name and moves it into place complete. Concurrent creators are serialized by
    /// a lock.
    private static func create(
        _ name: String, in folder: any DurableFolder, device: OfflineDevice, provider: OfflineProviderKeys,
        at now: Timestamp, marks: [LogMark], creating: Bool, random: @Sendable () -> UInt64
    ) throws -> (any DurableFile)? {
        if let known = marks.map(\.sequence).max() {
            throw OfflineLogError.damaged(.truncated(expected: known, found: 0))
        }
        guard creating, let turn = try folder.open(name + ".lock", creating: true) else { return nil }
        try turn.lock()
        defer { turn.unlock() }
        if let made = try folder.open(name, creating: false) { return made }
        guard let fresh = try folder.open(name + ".new", creating: true) else { return nil }
        let id = Hex.lowercase(
            [random(), random()].flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } })
        let header = LogHeader(log: id, device: device, provider: provider, createdAt: now)
        let frame = OfflineFrame(
            .header, sequence: 0, syncedSequence: 0, previous: [UInt8](repeating: 0, count: 32),
            payload: header.payload(signedBy: device))
        try fresh.truncate(to: 0)
        try fresh.write(frame.encoded, at: 0)
        try fresh.sync()
        try folder.replace(name, with: name + ".new")
        return try folder.open(name, creating: false)
    }

    private static func read(
        _ file: any DurableFile, device: OfflineDevice, provider: OfflineProviderKeys, marks: [LogMark],
        folder: any DurableFolder, name: String
    ) throws -> State {
        var walk = LogWalk()
        for mark in marks { walk.marks[mark.sequence] = mark.hash }
        try walk.run(file)
        guard let found = walk.book.header else { throw OfflineLogError.damaged(.notALog) }
        guard found.deviceKey == device.publicKey else {
            throw OfflineLogError.damaged(.otherDevice(found: found.device))
        }
        guard found.provider == provider else {
            throw OfflineLogError.damaged(.otherProvider(found: found.provider.issuer))
        }
        if let mark = marks.first(where: { $0.log != found.log }) {
            throw OfflineLogError.damaged(.rolledBack(expected: mark.sequence, found: 0))
        }
        let healed = try heal(&walk, file, folder: folder, name: name)
        try walk.checkEnd()
        // Writes of a killed process may still be in flight to the disk; sync before building on them.
        try file.sync()
        return State(file: file, walk: walk, durable: walk.next &- 1, healed: healed)
    }

    /// Truncates a torn, unacknowledged tail. Its bytes are kept beside the log, so that no data is discarded unseen.
    private static func heal(
        _ walk: inout LogWalk, _ file: any DurableFile, folder: any DurableFolder, name: String
    ) throws -> Int {
        guard case .torn(let from, _)? = walk.tail else { return 0 }
        let size = try file.size()
        let bytes = try file.read(at: from, count: min(size - from, LogWalk.window))
        if let kept = try folder.open("\(name).torn-\(walk.next)", creating: true) {
            try kept.truncate(to: 0)
            try kept.write(bytes, at: 0)
            try kept.sync()
        }
        try file.truncate(to: from)
        try file.sync()
        walk.tail = nil
        return size - from
    }

    // MARK: Queries

    /// Returns the current ledger, including entries added by other processes.
    public func book() throws(OfflineLogError) -> OfflineLedger {
        try locked { (state) throws(OfflineLogError) in state.walk.book }
    }

    /// The log's identity, device and provider. Immutable, so reading it never waits for a sync.
    public let header: LogHeader

    /// Counters since the log was opened.
    public var statistics: Statistics { state.withLock { $0.statistics } }

    /// Appends waiting now; does not wait for the one being written.
    var waitingAppends: Int { waiting.withLock { $0.items.count } }

    /// Length of a torn tail that was truncated on opening, in bytes.
    public var healedBytes: Int { state.withLock { $0.healed } }

    /// The length of the file in bytes.
    public var bytes: Int { state.withLock { $0.walk.end } }

    public func mark() throws(OfflineLogError) -> LogMark {
        try locked { (state) throws(OfflineLogError) in
            LogMark(
                log: state.walk.book.header?.log ?? "", sequence: state.walk.next &- 1, hash: state.walk.lastHash)
        }
    }

    /// Returns a stored payment with its sealed card, and the hash of its entry.
    public func record(_ sequence: UInt64) throws(OfflineLogError) -> (record: StoredRecord, hash: [UInt8]) {
        try locked { (state) throws(OfflineLogError) in try OfflineLog.record(sequence, state) }
    }

    static func record(
        _ sequence: UInt64, _ state: State
    ) throws(OfflineLogError) -> (record: StoredRecord, hash: [UInt8]) {
        guard let entry = state.walk.book.entry(sequence) else { throw .notFound }
        let frame = try frame(at: entry.offset, state.file, sequence)
        guard let record = StoredRecord(payload: frame.payload) else { throw .notFound }
        return (record, frame.hash)
    }

    static func frame(
        at offset: Int, _ file: any DurableFile, _ sequence: UInt64
    ) throws(OfflineLogError) -> (payload: [UInt8], hash: [UInt8]) {
        let head = try file.bytes(at: offset, count: OfflineFrame.headBytes)
        guard head.count == OfflineFrame.headBytes else { throw .damaged(.changed(sequence: sequence, offset: offset)) }
        let count = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= OfflineFrame.mostPayload else { throw .damaged(.changed(sequence: sequence, offset: offset)) }
        let whole = try file.bytes(at: offset, count: OfflineFrame.headBytes + count + OfflineFrame.hashBytes)
        var digest = [UInt8](repeating: 0, count: 32)
        let payload: [UInt8]? = whole.withUnsafeBytes { buffer in
            guard case .whole(let scan) = FrameScan.scan(buffer, at: 0, expecting: &digest), scan.sequence == sequence
            else { return nil }
            return Array(buffer[scan.payload])
        }
        guard let payload else { throw .damaged(.changed(sequence: sequence, offset: offset)) }
        return (payload, digest)
    }

    // MARK: Adding

    /// Decides on the newest ledger and writes the resulting events; returns when they are durable. Nothing is written
    /// if `decide` throws or returns no events.
    @discardableResult
    package func append(_ decide: @escaping Decision) async throws(OfflineLogError) -> [Receipt] {
        let result: Result<[Receipt], OfflineLogError> = await withCheckedContinuation { continuation in
            add(Item(decide: decide, done: { continuation.resume(returning: $0) }))
        }
        return try result.get()
    }

    private func add(_ item: Item) {
        let (isFull, starts) = waiting.withLock { waiting -> (Bool, Bool) in
            guard waiting.items.count < OfflineLog.mostWaiting else { return (true, false) }
            waiting.items.append(item)
            guard !waiting.isDraining else { return (false, false) }
            waiting.isDraining = true
            return (false, true)
        }
        if isFull { return item.done(.failure(.queueFull(limit: OfflineLog.mostWaiting))) }
        guard starts else { return }
        switch commits {
        case .onOwnQueue: queue.async { [self] in drain() }
        case .inline: drain()
        }
    }

    private func drain() {
        while true {
            let group = waiting.withLock { waiting -> [Item] in
                let group = Array(waiting.items.prefix(OfflineLog.mostTogether))
                waiting.items.removeFirst(group.count)
                if group.isEmpty { waiting.isDraining = false }
                return group
            }
            if group.isEmpty { return }
            commit(group)
        }
    }

    private func commit(_ group: [Item]) {
        var results: [Result<[Receipt], OfflineLogError>] = []
        do throws(OfflineLogError) {
            results = try locked { (state) throws(OfflineLogError) in try write(group, &state) }
        } catch {
            results = group.map { _ in .failure(error) }
        }
        for (item, result) in zip(group, results) { item.done(result) }
    }

    /// Decides, writes and syncs, with the file's lock held.
    private func write(
        _ items: [Item], _ state: inout State
    ) throws(OfflineLogError) -> [Result<[Receipt], OfflineLogError>] {
        var results: [Result<[Receipt], OfflineLogError>] = []
        var bytes: [UInt8] = []
        let log = state.walk.book.header?.log ?? ""
        let start = state.walk.end
        var count = 0
        func add(_ event: OfflineEvent, _ state: inout State) throws(OfflineLogError) -> Receipt {
            let payload = event.payload
            guard payload.count <= OfflineFrame.mostPayload else { throw .tooLarge }
            let frame = OfflineFrame(
                event.kind, sequence: state.walk.next, syncedSequence: state.durable, previous: state.walk.lastHash,
                payload: payload)
            let encoded = frame.encoded
            state.walk.book.evolve(event, sequence: frame.sequence, offset: start + bytes.count)
            bytes += encoded
            state.walk.lastHash = frame.hash
            state.walk.next += 1
            state.walk.sinceCheckpoint += 1
            count += 1
            return Receipt(mark: LogMark(log: log, sequence: frame.sequence, hash: frame.hash))
        }
        for item in items {
            do throws(OfflineLogError) {
                var receipts: [Receipt] = []
                for event in try item.decide(state.walk.book) { receipts.append(try add(event, &state)) }
                results.append(.success(receipts))
            } catch {
                results.append(.failure(error))
            }
        }
        guard count > 0 else { return results }
        do throws(OfflineLogError) {
            if state.walk.sinceCheckpoint >= OfflineLog.checkpointInterval {
                let checkpoint = LogCheckpoint(
                    log: log, sequence: state.walk.next - 1, hash: state.walk.lastHash, at: clock.now(),
                    signedBy: device)
                _ = try add(.checkpoint(checkpoint), &state)
                state.walk.sinceCheckpoint = 0
            }
            try put(bytes, at: start, &state)
        } catch {
            // The state of the disk is unknown now: the file is read again before it is used again.
            state.isStale = true
            throw error
        }
        state.walk.end = start + bytes.count
        state.durable = state.walk.next - 1
        state.statistics.entries += count
        state.statistics.syncs += 1
        state.statistics.largestGroup = max(state.statistics.largestGroup, items.count)
        return results
    }

    private func put(_ bytes: [UInt8], at start: Int, _ state: inout State) throws(OfflineLogError) {
        do throws(DurableFileError) {
            try state.file.write(bytes, at: start)
            try state.file.sync()
        } catch {
            throw .disk(error)
        }
    }

    // MARK: Other processes

    /// Runs `body` with the file's lock held, after reading all entries added by others.
    func locked<Value>(
        _ body: (inout State) throws(OfflineLogError) -> Value
    ) throws(OfflineLogError) -> Value {
        let result: Result<Value, OfflineLogError> = state.withLock { state in
            do throws(OfflineLogError) {
                try takeLock(&state)
            } catch {
                return .failure(error)
            }
            defer { state.file.unlock() }
            do throws(OfflineLogError) {
                try catchUp(&state)
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func takeLock(_ state: inout State) throws(OfflineLogError) {
        // If the file was replaced, the replacement is opened and locked instead; it may be replaced again meanwhile.
        for _ in 0..<16 {
            do throws(DurableFileError) {
                try state.file.lock()
                if state.file.isCurrent() { return }
                state.file.unlock()
                guard let file = try folder.open(name, creating: false) else {
                    throw DurableFileError(operation: "open", reason: "the log was removed")
                }
                state.file = file
                state.isStale = true
            } catch {
                throw .disk(error)
            }
        }
        throw .disk(DurableFileError(operation: "lock", reason: "the log is replaced again and again"))
    }

    private func catchUp(_ state: inout State) throws(OfflineLogError) {
        let size = try state.file.length()
        if state.isStale || size < state.walk.end {
            guard let header = state.walk.book.header else { throw .noLog }
            var marks = checksMarks
            // Durable entries must still be there: a shorter file was rolled back during use.
            if !state.isStale {
                marks.append(LogMark(log: header.log, sequence: state.durable, hash: state.walk.lastHash))
            }
            do {
                var fresh = try OfflineLog.read(
                    state.file, device: device, provider: header.provider, marks: marks, folder: folder, name: name)
                fresh.statistics = state.statistics
                state = fresh
            } catch {
                throw OfflineLogError(error)
            }
        } else if size > state.walk.end {
            do {
                try state.walk.run(state.file)
                _ = try OfflineLog.heal(&state.walk, state.file, folder: folder, name: name)
                try state.file.sync()
            } catch {
                state.isStale = true
                throw OfflineLogError(error)
            }
            state.durable = state.walk.next - 1
        }
    }
}

extension OfflineLogError {
    /// Wraps any error thrown below the log.
    init(_ error: any Error) {
        switch error {
        case let error as OfflineLogError: self = error
        case let error as DurableFileError: self = .disk(error)
        case let error as LogDamage: self = .damaged(error)
        default: self = .disk(DurableFileError(operation: "use", reason: "\(error)"))
        }
    }
}
