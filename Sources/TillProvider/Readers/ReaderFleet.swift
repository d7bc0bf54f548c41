public import TillCore
public import TillHardware

/// The card readers of one provider that the counter drives. A sale at one of them is a payment like any other, moved
/// by the provider that ``provider`` names with a tender that ``tender(at:tipping:)`` makes.
public protocol ReaderFleet: Sendable {
    /// Who moves the money of a sale at these readers.
    var provider: ProviderName { get }
    /// What can be charged at them.
    var limits: AmountLimits { get }
    /// They can ask the customer for a tip.
    var asksForTips: Bool { get }
    /// They can authorize now and capture later.
    var capturesLater: Bool { get }
    /// The reader of a sale that names none; `nil` where one must be named.
    var standing: CounterReader? { get }

    /// Those that the counter can drive.
    func readers() async throws(ReaderError) -> [CounterReader]
    /// The reader that somebody means by its id, its label or its serial number.
    func reader(named name: String) async throws(ReaderError) -> CounterReader
    /// The tender of a sale at a reader of this fleet.
    func tender(at reader: CounterReader, tipping: CardPresentPayload.Tipping?) -> Tender
    /// Cancels what a reader is doing. Refused once a card is being charged.
    func cancel(_ id: String) async throws(ReaderError) -> CounterReader
    /// Cancels the readers that wait for a card, so that the counter can end; what is being charged is finished.
    /// - Returns: the readers that could not be reached: a card that is presented there may still be charged.
    func cancelWaiting() async -> [String]
    /// The card for the payment's next refund is presented at this reader, where its scheme demands that.
    func use(_ name: String, forRefundOf payment: PaymentID) async throws(ReaderError)
    /// What happens at the readers from now on. Nothing is kept.
    func steps() -> AsyncStream<ReaderStep>

    /// What takes the customer's part at simulated readers, if there are any.
    var simulation: (any ReaderSimulation)? { get }
    /// What asks customers questions at the readers, if they can.
    var questions: (any ReaderQuestions)? { get }
    /// What registers readers and arranges where they stand; `nil` where that is done in the provider's dashboard.
    var management: (any ReaderManagement)? { get }
}

extension ReaderFleet {
    /// No limits but the provider's own.
    public var limits: AmountLimits { .none }
    public var asksForTips: Bool { false }
    public var capturesLater: Bool { true }
    /// One must be named.
    public var standing: CounterReader? { nil }
    /// By default a fleet has none.
    public var simulation: (any ReaderSimulation)? { nil }
    /// By default a fleet has none.
    public var questions: (any ReaderQuestions)? { nil }
    /// A fleet has none unless it says otherwise.
    public var management: (any ReaderManagement)? { nil }
    /// No refund needs the card; a reader that does not exist is refused.
    public func use(_ name: String, forRefundOf payment: PaymentID) async throws(ReaderError) {
        _ = try await reader(named: name)
    }
}

/// Takes the customer's part at simulated readers.
public protocol ReaderSimulation: Sendable {
    /// Holds a test card to a reader.
    /// - Parameters:
    ///   - card: its name, `visa`, or a published test number.
    ///   - tip: what the customer gives on top, in the wire's units.
    func present(_ card: String, tip: Int64?, at id: String) async throws(ReaderError) -> CounterReader
}

/// One step of a sale at a reader.
public struct ReaderStep: Hashable, Sendable {
    public let account: AccountID
    public let payment: PaymentID
    public let reader: String
    public let event: CardReaderEvent

    public init(account: AccountID, payment: PaymentID, reader: String, event: CardReaderEvent) {
        self.account = account
        self.payment = payment
        self.reader = reader
        self.event = event
    }
}
