public import TillCore
public import TillHardware

/// The card readers of one provider that the counter drives. A sale at a reader is an ordinary payment, processed by
/// ``provider`` with a tender from ``tender(at:tipping:)``.
public protocol ReaderFleet: Sendable {
    /// The provider of sales at these readers.
    var provider: ProviderName { get }
    /// The amounts that can be charged at these readers.
    var limits: AmountLimits { get }
    /// `true` if the readers can prompt for a tip.
    var asksForTips: Bool { get }
    /// `true` if the readers can authorize now and capture later.
    var capturesLater: Bool { get }
    /// The default reader of a sale that names none; `nil` if one must be named.
    var standing: CounterReader? { get }

    /// Returns the readers that the counter can drive.
    func readers() async throws(ReaderError) -> [CounterReader]
    /// Returns the reader with the given id, label or serial number.
    func reader(named name: String) async throws(ReaderError) -> CounterReader
    /// Returns the tender of a sale at a reader of this fleet.
    func tender(at reader: CounterReader, tipping: CardPresentPayload.Tipping?) -> Tender
    /// Cancels the current action of a reader. Refused once a card is being charged.
    func cancel(_ id: String) async throws(ReaderError) -> CounterReader
    /// Cancels the readers that wait for a card, so that the counter can shut down; charges in progress are completed.
    /// - Returns: the unreachable readers: a card presented there may still be charged.
    func cancelWaiting() async -> [String]
    /// Selects the reader at which the card is presented for the payment's next refund, if its scheme requires that.
    func use(_ name: String, forRefundOf payment: PaymentID) async throws(ReaderError)
    /// Returns a stream of reader events from now on. Nothing is stored.
    func steps() -> AsyncStream<ReaderStep>

    /// The simulation of customers at simulated readers, if any.
    var simulation: (any ReaderSimulation)? { get }
    /// The customer prompts at the readers, if supported.
    var questions: (any ReaderQuestions)? { get }
    /// The management of readers and their locations; `nil` if it is done in the provider's dashboard.
    var management: (any ReaderManagement)? { get }
}

extension ReaderFleet {
    /// No limits beyond the provider's own, by default.
    public var limits: AmountLimits { .none }
    public var asksForTips: Bool { false }
    public var capturesLater: Bool { true }
    /// `nil` by default: a reader must be named.
    public var standing: CounterReader? { nil }
    /// `nil` by default.
    public var simulation: (any ReaderSimulation)? { nil }
    /// `nil` by default.
    public var questions: (any ReaderQuestions)? { nil }
    /// `nil` by default.
    public var management: (any ReaderManagement)? { nil }
    /// By default, refunds need no card; only a nonexistent reader is refused.
    public func use(_ name: String, forRefundOf payment: PaymentID) async throws(ReaderError) {
        _ = try await reader(named: name)
    }
}

/// Simulates the customer at simulated readers.
public protocol ReaderSimulation: Sendable {
    /// Presents a test card to a reader.
    /// - Parameters:
    ///   - card: the name, such as `visa`, or a published test number.
    ///   - tip: the tip, in the wire format's units.
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
