import Synchronization
public import TillContactless
public import TillCore

/// A card at a PC/SC reader: any reader known to `pcscd`, or to the same service of macOS.
///
/// ```swift
/// import TillContactless
///
/// let channel = PCSCChannel(reader: "ACR1252")
/// try await channel.waitForCard()
/// let directory = CommandAPDU(0x00, 0xA4, 0x04, 0x00, data: Array("2PAY.SYS.DDF01".utf8))
/// let answer = try await channel.transmit(directory)
/// await channel.powerOff()
/// ```
///
/// The library is loaded when first needed; a machine without it builds and runs all of Till. Every wait has a name in
/// ``PCSCLimits``. Canceling the task that waits for a card ends the wait at once. After any error the channel can be
/// reused from ``waitForCard()`` on, which also finds a restored service or reader. The card is held exclusively and is
/// powered down by ``powerOff()``.
///
/// Contactless payment cards need a contactless reader; a contact card at a contact reader answers too, with another
/// directory.
public actor PCSCChannel: CardChannel {
    private let service: any PCSCService
    private let wanted: String?
    private let limits: PCSCLimits
    private let clock: any TillClock
    private let calls: BlockingCalls
    private let context = Mutex<PCSCContext?>(nil)
    private var connection: PCSCConnection?
    /// The reader that holds the card.
    public private(set) var reader: String?

    /// Creates a channel; nothing is opened yet.
    /// - Parameter reader: the start of a reader's name, or a part of it; nil: any reader that receives a card.
    public init(
        reader: String? = nil, limits: PCSCLimits = PCSCLimits(), clock: any TillClock = SystemClock()
    ) {
        self.init(service: SystemPCSC(), reader: reader, limits: limits, clock: clock)
    }

    init(
        service: any PCSCService, reader: String? = nil, limits: PCSCLimits = PCSCLimits(),
        clock: any TillClock = SystemClock()
    ) {
        self.service = service
        self.limits = limits
        self.clock = clock
        wanted = reader
        calls = BlockingCalls(name: "till.pcsc", clock: clock)
    }

    deinit {
        let (service, connection, context) = (service, connection, context.withLock { $0 })
        calls.afterwards {
            if let connection { service.disconnect(connection) }
            if let context { service.release(context) }
        }
    }

    /// Returns the names of the readers currently known to the service.
    /// - Throws: `CardChannelError.reader(code:message:)`.
    public func readers() async throws(CardChannelError) -> [String] {
        let context = try await open()
        return try await run("listing the readers", limits.service) { [service] () throws(PCSCStatus) in
            try service.readers(context)
        }
    }

    /// Waits for a card in the field and powers it.
    public func waitForCard() async throws(CardChannelError) {
        await powerOff()
        let began = clock.now()
        var known: [PCSCReaderState] = []
        while true {
            if Task.isCancelled { throw .canceled }
            if known.isEmpty { known = try await watched() }
            // The readers are examined once at least, however late it is.
            let left = limits.card.milliseconds - clock.now().since(began).milliseconds
            let changed = try await change(known, milliseconds: max(0, min(left, limits.slice.milliseconds)))
            if let changed { known = changed }
            if known.contains(where: \.isGone) {
                known = []
                continue
            }
            let present = known.filter(\.hasCard)
            guard present.count <= 1 else { throw .collision }
            guard let found = present.first else {
                guard left > 0 else { throw .noCard }
                continue
            }
            if found.isMute { throw .silence }
            if try await connect(found.name) { return }
            // The card left again. Start over from the reader's current state.
            known = known.map { PCSCReaderState(name: $0.name) }
        }
    }

    /// Sends a command. Times out after ``PCSCLimits/command``; the reader is then not used until the hung call
    /// returns.
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        if Task.isCancelled { throw .canceled }
        guard let connection else { throw .cardRemoved }
        var command = command
        // T=0 has no place for both data and the expected length: the answer is fetched by a command of its own.
        if connection.style == .bytes, !command.data.isEmpty { command.le = nil }
        guard let bytes = command.bytes else { throw .commandTooLong }
        let outcome: Result<[UInt8], PCSCStatus>
        do throws(BlockingCalls.GivenUp) {
            outcome = try await calls.run(within: limits.command) { [service] () throws(PCSCStatus) in
                try service.transmit(connection, bytes)
            }
        } catch {
            await powerOff()
            throw .silence
        }
        switch outcome {
        case .success(let answer):
            guard let response = ResponseAPDU(bytes: answer) else {
                // Some drivers return an empty answer without an error after the card has left.
                let hasLeft = await cardHasLeft()
                await powerOff()
                throw hasLeft ? .cardRemoved : .malformedAnswer
            }
            return response
        case .failure(let status):
            let hasLeft = await cardHasLeft()
            await powerOff()
            close(after: status)
            if status == .insufficientBuffer { throw .malformedAnswer }
            // Drivers report a removed card in many ways; the reader's current state decides.
            if hasLeft, !status.endsContext, status != .readerUnavailable { throw .cardRemoved }
            throw status.channelError
        }
    }

    /// Powers the card down.
    public func powerOff() async {
        guard let connection else { return }
        (self.connection, reader) = (nil, nil)
        do throws(BlockingCalls.GivenUp) {
            _ = try await calls.run(within: limits.service) { [service] () throws(PCSCStatus) in
                service.disconnect(connection)
            }
        } catch {
            // A call hangs: the card is released once it returns.
            calls.afterwards { [service] in service.disconnect(connection) }
        }
    }

    /// Returns the context, opening it if necessary.
    private func open() async throws(CardChannelError) -> PCSCContext {
        if let context = context.withLock({ $0 }) { return context }
        let opened = try await run("opening the smart card service", limits.service) {
            [service] () throws(PCSCStatus) in try service.establish()
        }
        context.withLock { $0 = opened }
        return opened
    }

    /// The readers to watch, in the state "not known yet".
    private func watched() async throws(CardChannelError) -> [PCSCReaderState] {
        let names = try await readers()
        guard let wanted else { return names.map { PCSCReaderState(name: $0) } }
        let exact = names.filter { $0 == wanted }
        let found = exact.isEmpty ? names.filter { $0.lowercased().contains(wanted.lowercased()) } : exact
        guard let first = found.first else {
            throw .reader(
                code: Int64(PCSCStatus.unknownReader.rawValue),
                message: "there is no reader \(wanted); there are: \(names.joined(separator: ", "))")
        }
        return [PCSCReaderState(name: first)]
    }

    /// Returns the changed reader states, or `nil` if nothing changed within the wait.
    private func change(
        _ known: [PCSCReaderState], milliseconds: Int64
    ) async throws(CardChannelError) -> [PCSCReaderState]? {
        let context = try await open()
        let wait = UInt32(clamping: milliseconds)
        // The call ends by itself; the extra limit covers a hung service.
        let limit = limits.service.milliseconds + milliseconds
        let outcome: Result<[PCSCReaderState], PCSCStatus>
        do {
            outcome = try await withTaskCancellationHandler {
                try await calls.run(within: .milliseconds(limit)) { [service] () throws(PCSCStatus) in
                    try service.waitForChange(context, known, milliseconds: wait)
                }
            } onCancel: { [service] in
                service.cancel(context)
            }
        } catch {
            throw .reader(code: Int64(PCSCStatus.timeout.rawValue), message: "waiting for a card never came back")
        }
        switch outcome {
        case .success(let states): return states
        case .failure(.timeout): return nil
        case .failure(let status):
            close(after: status)
            throw status == .unknownReader ? PCSCStatus.readerUnavailable.channelError : status.channelError
        }
    }

    /// Connects to the card; returns `false` if it is already gone.
    private func connect(_ name: String) async throws(CardChannelError) -> Bool {
        let context = try await open()
        let outcome: Result<PCSCConnection, PCSCStatus>
        do throws(BlockingCalls.GivenUp) {
            outcome = try await calls.run(within: limits.service) { [service] () throws(PCSCStatus) in
                try service.connect(context, reader: name)
            }
        } catch {
            throw .silence
        }
        switch outcome {
        case .success(let made):
            (connection, reader) = (made, name)
            return true
        case .failure(let status):
            if status.meansNoCardYet { return false }
            close(after: status)
            throw status.channelError
        }
    }

    /// Returns `true` if the card's reader reports, at once or within ``PCSCLimits/removal``, that the card is gone.
    private func cardHasLeft() async -> Bool {
        guard let reader, let context = context.withLock({ $0 }) else { return true }
        var state = PCSCReaderState(name: reader)
        for wait: Int64 in [0, limits.removal.milliseconds] {
            let known = state
            let outcome = try? await calls.run(within: .milliseconds(limits.service.milliseconds + wait)) {
                [service] () throws(PCSCStatus) in
                try service.waitForChange(context, [known], milliseconds: UInt32(clamping: wait))
            }
            guard case .success(let states)? = outcome, let now = states.first else { return false }
            if !now.hasCard { return true }
            state = now
        }
        return false
    }

    /// Runs one call; `name` identifies it in the error if it hangs.
    private func run<Value: Sendable>(
        _ name: String, _ limit: Span, _ call: @escaping @Sendable () throws(PCSCStatus) -> Value
    ) async throws(CardChannelError) -> Value {
        let outcome: Result<Value, PCSCStatus>
        do throws(BlockingCalls.GivenUp) {
            outcome = try await calls.run(within: limit, call)
        } catch {
            throw .reader(code: Int64(PCSCStatus.timeout.rawValue), message: "\(name) never came back")
        }
        switch outcome {
        case .success(let value): return value
        case .failure(let status):
            close(after: status)
            throw status.channelError
        }
    }

    /// Drops a context that the service has invalidated.
    private func close(after status: PCSCStatus) {
        guard status.endsContext else { return }
        let old = context.withLock { context in
            defer { context = nil }
            return context
        }
        guard let old else { return }
        calls.afterwards { [service] in service.release(old) }
    }
}
