import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A database session. Confined to the thread that created it; blocks that thread, but never past its deadline.
final class PostgresConnection {
    /// The purpose of a session.
    enum Use: Sendable {
        /// Commits and reads by key: index plans, regardless of table statistics.
        case work
        /// Reads by key only. Everything read is as durable as an acknowledged commit.
        case read
        /// Full scans, and schema changes.
        case survey
    }

    private let pq: LibPQ
    private let handle: LibPQ.Connection
    private let notices = Notices()
    private var prepared: [String: String] = [:]
    /// The server's version, such as 150018.
    let serverVersion: Int32

    /// Connects to the database.
    /// - Throws: ``PostgresFailure`` with the reason.
    init(_ address: String, _ use: Use, isWriter: Bool = true) throws(PostgresFailure) {
        let pq = try LibPQ.found.get()
        let handle = try PostgresConnection.connect(pq, address, isWriter)
        (self.pq, self.handle) = (pq, handle)
        serverVersion = pq.serverVersion(handle)
        _ = pq.setNonBlocking(handle, 1)
        _ = pq.setNoticeReceiver(handle, Notices.receive, Unmanaged.passUnretained(notices).toOpaque())
        try PostgresConnection.check(serverVersion: serverVersion)
        try execute(PostgresConnection.settings(use))
        // A restarted server shows commits that were still waiting for a standby and were never acknowledged. A commit
        // of this session is acknowledged only after them.
        if case .read = use { _ = try query("SELECT pg_logical_emit_message(true, 'till', '')") }
    }

    deinit { pq.finish(handle) }

    /// Checks the server's version.
    /// - Throws: for a server that is too old.
    static func check(serverVersion: Int32) throws(PostgresFailure) {
        guard serverVersion < PostgresLimits.oldestServer else { return }
        throw PostgresFailure(
            .notConnected,
            "the server is PostgreSQL \(serverVersion / 10_000); Till needs \(PostgresLimits.oldestServer / 10_000)")
    }

    // MARK: Commands

    /// Runs a command with parameters, prepared on first use.
    /// - Throws: ``PostgresFailure/Kind/warned(_:)`` even for a command that completed with a warning.
    func query(
        _ sql: String, _ values: [PostgresValue] = [], within limit: Span = PostgresLimits.answerTime
    ) throws(PostgresFailure) -> [PostgresRow] {
        let deadline = SystemClock.reading().adding(limit)
        let name = try prepare(sql, values.map(\.type.rawValue), deadline)
        let bytes = values.map(\.encoded)
        notices.warnings = []
        let isSent = PostgresConnection.withPointers(bytes) { pointers, lengths in
            let formats = [Int32](repeating: 1, count: values.count)
            return pq.sendPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1) == 1
        }
        guard isSent else { throw lost() }
        let rows = try answer(by: deadline)
        if let warning = notices.warnings.first { throw PostgresFailure(.warned(warning.state), warning.text) }
        return rows
    }

    /// Runs commands without parameters, one after the other.
    /// - Returns: the rows of all commands, in PostgreSQL's text form.
    @discardableResult
    func execute(
        _ sql: String, within limit: Span = PostgresLimits.answerTime
    ) throws(PostgresFailure) -> [PostgresRow] {
        guard pq.sendQuery(handle, sql) == 1 else { throw lost() }
        return try answer(by: SystemClock.reading().adding(limit))
    }

    private func prepare(
        _ sql: String, _ types: [UInt32], _ deadline: Span
    ) throws(PostgresFailure) -> String {
        if let name = prepared[sql] { return name }
        let name = "till_\(prepared.count + 1)"
        guard pq.sendPrepare(handle, name, sql, Int32(types.count), types) == 1 else { throw lost() }
        _ = try answer(by: deadline)
        prepared[sql] = name
        return name
    }

    // MARK: Waiting

    /// Sends pending data and reads all results of the command.
    private func answer(by deadline: Span) throws(PostgresFailure) -> [PostgresRow] {
        var rows: [PostgresRow] = []
        var failure: PostgresFailure?
        while true {
            try settle(deadline)
            guard let result = pq.getResult(handle) else { break }
            defer { pq.clear(result) }
            switch pq.resultStatus(result) {
            case LibPQ.Number.commandOK, LibPQ.Number.emptyQuery: continue
            case LibPQ.Number.tuplesOK: rows += read(result)
            default:
                let state = pq.resultErrorField(result, LibPQ.Number.sqlStateField).map { String(cString: $0) }
                let text = pq.resultErrorField(result, LibPQ.Number.messageField).map { String(cString: $0) }
                // A failure without a state comes from libpq itself: the connection is lost.
                failure =
                    failure ?? state.map {
                        PostgresFailure(.server(SQLState(rawValue: $0)), text ?? "no reason given")
                    } ?? lost()
            }
        }
        if let failure { throw failure }
        return rows
    }

    /// Waits until a result is available without blocking.
    private func settle(_ deadline: Span) throws(PostgresFailure) {
        while true {
            let flushed = pq.flush(handle)
            guard flushed >= 0 else { throw lost() }
            if flushed == 0, pq.isBusy(handle) == 0 { return }
            var events = Int16(POLLIN)
            if flushed == 1 { events |= Int16(POLLOUT) }
            guard PostgresConnection.wait(pq.socket(handle), events, by: deadline) else {
                throw PostgresFailure(.timedOut, "the database did not answer in time")
            }
            guard pq.consumeInput(handle) == 1 else { throw lost() }
        }
    }

    /// Returns notifications on the channels that this session listens to. Waits for the first one, until the deadline
    /// or until `descriptor` is readable.
    func notifications(by deadline: Span, or descriptor: Int32) throws(PostgresFailure) -> [String] {
        // Notifications can arrive together with an answer.
        var payloads = takeNotifications()
        guard payloads.isEmpty else { return payloads }
        guard PostgresConnection.wait(pq.socket(handle), or: descriptor, by: deadline) else { return [] }
        guard pq.consumeInput(handle) == 1, pq.status(handle) == LibPQ.Number.connectionOK else { throw lost() }
        payloads = takeNotifications()
        return payloads
    }

    private func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = pq.notifies(handle) {
            let place = MemoryLayout<LibPQ.Notification>.offset(of: \.payload) ?? 0
            if let payload = notification.load(fromByteOffset: place, as: LibPQ.Text?.self) {
                payloads.append(String(cString: payload))
            }
            pq.freeMemory(notification)
        }
        return payloads
    }

    private func lost() -> PostgresFailure { PostgresFailure(.lost, PostgresConnection.message(pq, handle)) }

    private func read(_ result: LibPQ.Result) -> [PostgresRow] {
        let columns = pq.columns(result)
        return (0..<pq.rows(result)).map { row in
            PostgresRow(
                columns: (0..<columns).map { column in
                    guard pq.isNull(result, row, column) == 0, let value = pq.value(result, row, column) else {
                        return nil
                    }
                    return Array(
                        UnsafeRawBufferPointer(start: value, count: Int(pq.length(result, row, column))))
                })
        }
    }

    // MARK: Connecting

    /// Connects to the first host of the address that accepts a session.
    private static func connect(
        _ pq: LibPQ, _ address: String, _ isWriter: Bool
    ) throws(PostgresFailure) -> LibPQ.Connection {
        let end = SystemClock.reading().adding(PostgresLimits.connectTime)
        let hosts = PostgresHosts(address).hosts
        guard !hosts.isEmpty else { return try connect(pq, address, nil, isWriter, by: end) }
        var failures: [PostgresFailure] = []
        for host in hosts {
            let share = SystemClock.reading().adding(PostgresLimits.connectTimePerHost)
            do throws(PostgresFailure) {
                return try connect(pq, address, host, isWriter, by: min(end, share))
            } catch { failures.append(error) }
        }
        // A missing password is more informative than an unreachable server.
        if let missing = failures.first(where: { $0.kind == .passwordMissing }) { throw missing }
        let reasons = zip(hosts, failures).map { "\($0.name): \($1.text)" }.joined(separator: "; ")
        throw PostgresFailure(.notConnected, reasons)
    }

    /// Connects to one host.
    /// - Parameter host: one of the address's hosts; `nil` to use the address as it is.
    private static func connect(
        _ pq: LibPQ, _ address: String, _ host: PostgresHosts.Host?, _ isWriter: Bool, by deadline: Span
    ) throws(PostgresFailure) -> LibPQ.Connection {
        // Parameters before the address are defaults for it; parameters after it override it.
        let parameters =
            [
                ("connect_timeout", "3"), ("tcp_user_timeout", "5000"), ("keepalives_idle", "5"),
                ("keepalives_interval", "2"), ("keepalives_count", "3"), ("gssencmode", "disable"),
                ("target_session_attrs", isWriter ? "read-write" : "any"), ("fallback_application_name", "till"),
                ("dbname", address), ("client_encoding", "UTF8"),
            ] + (host.map { [("host", $0.name), ("port", $0.port)] } ?? [])
        let handle = withTexts(parameters.map(\.0)) { names in
            withTexts(parameters.map(\.1)) { values in pq.connectStart(names, values, 1) }
        }
        guard let handle else { throw PostgresFailure(.notConnected, "there is no memory for a connection") }
        var isConnected = false
        defer { if !isConnected { pq.finish(handle) } }
        var next = LibPQ.Number.pollingWriting
        while next != LibPQ.Number.pollingOK {
            guard next != LibPQ.Number.pollingFailed, pq.status(handle) != 1 else { throw refusal(pq, handle) }
            let events = next == LibPQ.Number.pollingReading ? POLLIN : POLLOUT
            guard wait(pq.socket(handle), Int16(events), by: deadline) else {
                throw PostgresFailure(.notConnected, "the database did not answer in time")
            }
            next = pq.connectPoll(handle)
        }
        isConnected = true
        return handle
    }

    private static func refusal(_ pq: LibPQ, _ handle: LibPQ.Connection) -> PostgresFailure {
        let text = message(pq, handle)
        if pq.needsPassword(handle) == 1 { return PostgresFailure(.passwordMissing, text) }
        return PostgresFailure(.notConnected, text)
    }

    /// Returns libpq's error message on one line.
    private static func message(_ pq: LibPQ, _ handle: LibPQ.Connection) -> String {
        let text = pq.errorMessage(handle).map { String(cString: $0) } ?? ""
        // Questions to the reader are left out.
        let line = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
            .filter { !$0.hasSuffix("?") }.joined(separator: "; ")
        return line.isEmpty ? "the connection to the database ended" : line
    }

    /// The session settings for planning and waiting. Commits are durable before they are acknowledged, regardless of
    /// the server's default; the stronger `remote_apply` is kept. The warning about a canceled wait for a standby must
    /// arrive, regardless of the role's settings.
    private static func settings(_ use: Use) -> String {
        let always = """
            SET client_min_messages = 'warning'; SET default_transaction_isolation = 'read committed';
            SET statement_timeout = 0; SET lock_timeout = '2s'; SET jit = off; SET bytea_output = 'hex';
            SELECT set_config('synchronous_commit', 'on', false)
              WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');
            """
        if case .survey = use { return always }
        return always + """
            SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;
            SET enable_mergejoin = off;
            """
    }

    // MARK: C

    /// - Returns: `true` if the descriptor is ready before the deadline.
    private static func wait(_ descriptor: Int32, _ events: Int16, by deadline: Span) -> Bool {
        while true {
            let left = deadline.milliseconds - SystemClock.reading().milliseconds
            guard left > 0 else { return false }
            var waited = pollfd(fd: descriptor, events: events, revents: 0)
            let count = poll(&waited, 1, Int32(clamping: left))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return true }
        }
    }

    /// Waits until a descriptor is readable, or until the deadline.
    static func wait(_ descriptor: Int32, by deadline: Span) -> Bool { wait(descriptor, Int16(POLLIN), by: deadline) }

    /// - Returns: `true` if one of two descriptors is readable before the deadline.
    private static func wait(_ first: Int32, or second: Int32, by deadline: Span) -> Bool {
        while true {
            let left = deadline.milliseconds - SystemClock.reading().milliseconds
            guard left > 0 else { return false }
            var waited = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&waited, 2, Int32(clamping: left))
            if count > 0 || (count < 0 && errno != EINTR) { return true }
        }
    }

    private static func withPointers<Value>(
        _ values: [[UInt8]?], _ body: (UnsafePointer<LibPQ.Text?>, UnsafePointer<Int32>) -> Value
    ) -> Value {
        var all: [UInt8] = []
        for value in values { all += (value ?? []) + [0] }
        let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
        return all.withUnsafeBytes { bytes in
            var offset = 0
            let pointers = values.map { value -> LibPQ.Text? in
                defer { offset += (value?.count ?? 0) + 1 }
                guard value != nil, let base = bytes.baseAddress else { return nil }
                return (base + offset).assumingMemoryBound(to: CChar.self)
            }
            return pointers.withUnsafeBufferPointer { pointers in
                lengths.withUnsafeBufferPointer { lengths in
                    // libpq does not dereference these if there are no values.
                    let none = UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
                    return body(
                        pointers.baseAddress ?? none.assumingMemoryBound(to: LibPQ.Text?.self),
                        lengths.baseAddress ?? none.assumingMemoryBound(to: Int32.self))
                }
            }
        }
    }

    private static func withTexts<Value>(
        _ texts: [String], _ body: (UnsafePointer<LibPQ.Text?>) -> Value
    ) -> Value {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { $0.map { LibPQ.Text($0) } } + [nil]
        return pointers.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("an array with an end has a beginning") }
            return body(base)
        }
    }

    /// The warnings of the current command.
    private final class Notices {
        struct Warning {
            var state: SQLState
            var text: String
        }

        var warnings: [Warning] = []

        static let receive: LibPQ.Notice = { object, result in
            guard let object, case .success(let pq) = LibPQ.found else { return }
            let state = pq.resultErrorField(result, LibPQ.Number.sqlStateField).map { String(cString: $0) } ?? ""
            // Class 00 is successful completion.
            guard !state.hasPrefix("00") else { return }
            let text = pq.resultErrorField(result, LibPQ.Number.messageField).map { String(cString: $0) } ?? ""
            Unmanaged<Notices>.fromOpaque(object).takeUnretainedValue().warnings
                .append(Warning(state: SQLState(rawValue: state), text: text))
        }
    }
}

extension Span {
    func adding(_ other: Span) -> Span { .milliseconds(milliseconds + other.milliseconds) }
}
