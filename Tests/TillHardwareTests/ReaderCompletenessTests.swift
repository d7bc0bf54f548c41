import Testing
import TillCore
import TillTestSupport

@testable import TillHardware

/// Everything that the contract of readers names is produced by the service over a driver that ships.
@Suite struct ReaderCompletenessTests {
    @Test func everythingThatTheContractNamesHappens() throws {
        let world = try SimulatedReaderWorld()
        try world.run { world in
            try await Self.find(world)
            try await Self.update(world)
            try await Self.sell(world)
            try await Self.loseAndRegain(world)
            try await Self.neverReturn(world)
        }
        let all = world.said.all
        let missing =
            Self.missing(all.driver.map(DriverEventKind.init)) + Self.missing(all.discovery.map(DiscoveryKind.init))
            + Self.missing(all.status.map(StatusKind.init)) + Self.missing(all.updates.map(UpdateKind.init))
            + Self.missing(all.reconnections.map(ReconnectionKind.init)) + Self.missing(all.states.map(StateKind.init))
            + Self.missing(all.payments)
            + Self.missing(all.events.map(\.type), of: CardReaderEventType.known)
            + Self.missing(
                all.driver.compactMap { if case .disconnected(let reason) = $0 { reason } else { nil } },
                of: CardReaderDisconnectReason.known)
            + Self.missing(
                all.reconnections.compactMap { if case .reconnecting(_, let reason) = $0 { reason } else { nil } },
                of: CardReaderDisconnectReason.known)
        #expect(missing == [])
        // No event names more of a card than its last four digits.
        let words = all.events.compactMap(\.message) + all.states.map { "\($0)" }
        #expect(words.filter { $0.contains(/[0-9]{5}/) } == [])
    }

    /// A type is known by being a case; whether each has a name of its own is not for a list by hand.
    @Test func theListOfEventTypesIsComplete() {
        #expect(CardReaderEventType.known.map(\.rawValue) == CardReaderEventType.Known.allCases.map(\.rawValue))
        #expect(Set(CardReaderEventType.known).count == CardReaderEventType.known.count)
        // Whoever shows an event has words for it; a message of the reader and the advice come with the event.
        let silent = CardReaderEventType.known.filter { CardReaderEvent($0).message == nil }
        #expect(silent == [.intentCreated, .displayMessage, .disconnected])
    }

    // MARK: The day of a reader

    private static func find(_ world: SimulatedReaderWorld) async throws {
        await world.driver.fail(.discover, with: .fails(.bluetoothDisabled))
        try await world.begin()
        for await status in world.service.discoveryStatus { if case .fault = status { break } }
        // An update whose date has come is installed while the reader connects, and may fail.
        let due = CardReaderSoftwareUpdate(version: "2", requiredAt: world.clock.now())
        await world.driver.offer(due, isCancelable: false, failure: .readerSoftwareUpdateFailedServer)
        let error = await #expect(throws: CardReaderServiceError.self) { try await world.connect() }
        #expect(error?.interaction == .softwareUpdate)
        await world.driver.offer(due)
        try await world.connect()
        #expect(world.service.connectedReaders.current?.first?.softwareVersion == "2")
    }

    private static func update(_ world: SimulatedReaderWorld) async throws {
        await world.driver.offer(CardReaderSoftwareUpdate(version: "3"))
        try await world.service.installUpdate()
        #expect(world.service.connectedReaders.current?.first?.softwareVersion == "3")
        await world.driver.drain(to: 15)
        await world.driver.charge(to: 30)
        #expect(world.service.connectedReaders.current?.first?.battery?.percent == 30)
    }

    private static func sell(_ world: SimulatedReaderWorld) async throws {
        for card in ["visa+misread+pin", "visa+check_phone", "mastercard+tap+insert", "amex+swipe"] {
            #expect(try await world.pay(card, order: card).status == .succeeded)
        }
        let declined = await #expect(throws: CardReaderServiceError.self) {
            try await world.pay("declined:insufficient_funds", order: "declined")
        }
        #expect(declined?.details.decline?.reason == .insufficientFunds)
        let canceled = await #expect(throws: CardReaderServiceError.self) {
            try await world.pay("canceled", order: "canceled")
        }
        #expect(canceled?.details.canceledBy == .reader)
        // The answer is lost, and the provider is silent: the intent stays behind, paid once.
        await world.driver.fail(.confirm, with: .answerLost)
        await world.driver.fail(.retrieveIntent, with: .fails(.requestTimedOut))
        let unknown = await #expect(throws: CardReaderServiceError.self) {
            try await world.pay("visa", order: "unknown")
        }
        #expect(unknown?.moneyMoved == .unknown)
        await #expect(throws: CardReaderServiceError.self) { try await world.pay("visa", order: "unknown") }
        let paid = try await world.pay("visa", order: "refunded")
        let charge = try #require(paid.charges.first)
        let refund = try await world.service.refund(
            RefundParameters(
                account: paid.account, charge: charge.id, amount: paid.amount, key: IdempotencyKey(rawValue: "r")))
        #expect(refund.status == .succeeded)
        await world.service.waitForInsertedCardToBeRemoved()
    }

    private static func loseAndRegain(_ world: SimulatedReaderWorld) async throws {
        for reason in CardReaderDisconnectReason.known {
            await world.driver.lose(reason, isReconnecting: true)
            #expect(world.service.readerEvents.current?.type == .reconnecting)
            await world.driver.regain()
            #expect(world.service.readerEvents.current?.type == .reconnected)
            await world.driver.lose(reason)
            #expect(world.service.readerEvents.current?.type == .disconnected)
            #expect(world.service.readerEvents.current?.message == reason.advice)
            try await world.connect()
        }
        await world.driver.lose(.securityReboot, isReconnecting: true)
        await world.driver.giveUpReconnecting()
        #expect(world.service.connectedReaders.current == [])
        try await world.connect()
    }

    private static func neverReturn(_ world: SimulatedReaderWorld) async throws {
        await world.driver.fail(.collect, with: .neverReturns)
        let error = await #expect(throws: CardReaderServiceError.self) { try await world.pay("visa", order: "silent") }
        #expect(error?.underlyingError == .cardReadTimedOut)
        if case .ready = world.service.serviceStatus.current { Issue.record("A reader that is silent is a fault.") }
        try await world.service.disconnect()
        #expect(world.service.serviceStatus.current == .ready)
    }

    // MARK: What there is

    /// Names the cases of a kind that are not among those seen.
    private static func missing<Kind: CaseIterable & Hashable>(_ seen: [Kind]) -> [String] {
        missing(seen, of: Array(Kind.allCases))
    }

    private static func missing<Kind: Hashable>(_ seen: [Kind], of all: [Kind]) -> [String] {
        let seen = Set(seen)
        return all.filter { !seen.contains($0) }.map { "\(Kind.self).\($0)" }
    }

    // Each switch has every case, or does not compile: a new case becomes a new kind here.

    private enum DriverEventKind: CaseIterable {
        case reader, changed, disconnected, reconnecting, reconnected, reconnectFailed
        case updateAvailable, updateStarted, updateProgress, updateEnded

        init(_ event: CardReaderDriverEvent) {
            self =
                switch event {
                case .reader: .reader
                case .changed: .changed
                case .disconnected: .disconnected
                case .reconnecting: .reconnecting
                case .reconnected: .reconnected
                case .reconnectFailed: .reconnectFailed
                case .updateAvailable: .updateAvailable
                case .updateStarted: .updateStarted
                case .updateProgress: .updateProgress
                case .updateEnded: .updateEnded
                }
        }
    }

    private enum DiscoveryKind: CaseIterable {
        case idle, discovering, fault

        init(_ status: CardReaderServiceDiscoveryStatus) {
            self =
                switch status {
                case .idle: .idle
                case .discovering: .discovering
                case .fault: .fault
                }
        }
    }

    private enum StatusKind: CaseIterable {
        case ready, fault

        init(_ status: CardReaderServiceStatus) {
            self =
                switch status {
                case .ready: .ready
                case .fault: .fault
                }
        }
    }

    private enum UpdateKind: CaseIterable {
        case none, available, started, installing, failed, completed

        init(_ state: CardReaderSoftwareUpdateState) {
            self =
                switch state {
                case .none: .none
                case .available: .available
                case .started: .started
                case .installing: .installing
                case .failed: .failed
                case .completed: .completed
                }
        }
    }

    private enum ReconnectionKind: CaseIterable {
        case idle, reconnecting, succeeded, failed

        init(_ state: CardReaderReconnectionState) {
            self =
                switch state {
                case .idle: .idle
                case .reconnecting: .reconnecting
                case .succeeded: .succeeded
                case .failed: .failed
                }
        }
    }

    private enum StateKind: CaseIterable {
        case idle, discovering, connecting, connected, collecting, confirming, refunding, updating, reconnecting

        init(_ state: CardReaderServiceState) {
            self =
                switch state {
                case .idle: .idle
                case .discovering: .discovering
                case .connecting: .connecting
                case .connected: .connected
                case .collecting: .collecting
                case .confirming: .confirming
                case .refunding: .refunding
                case .updating: .updating
                case .reconnecting: .reconnecting
                }
        }
    }
}
