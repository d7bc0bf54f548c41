package import TillCore

/// A provider before its stand-in, fresh for each case. What moved is read from the stand-in's own ledger, never from
/// the provider's answers: those are what is judged.
package protocol ProviderWorld: Sendable {
    /// What is judged.
    var provider: any PaymentServiceProvider { get }
    /// The line to the stand-in, which loses what a case wants lost; `nil`: there is none to lose anything.
    var line: (any FaultyLine)? { get }
    /// What pays ``Moved/amount``.
    var tender: Tender { get }
    /// What the issuer declines; `nil`: nobody declines here.
    var declined: (tender: Tender, amount: Money)? { get }
    /// What the bank wants to see the customer for; `nil`: the stand-in knows no challenge.
    var challenged: Tender? { get }
    /// Numbers, codes and keys that must stand in no answer, no error, no address and no description.
    var secrets: [String] { get }
    /// The time at the provider.
    var now: Timestamp { get }
    /// What the stand-in's ledger says.
    func moved() async throws -> Moved
    /// Lets happen what happens without us: webhooks arrive, the night settles sales.
    func wait() async throws
    /// What can happen at the stand-in without our asking.
    var canHappen: Set<AfterSaleNews> { get }
    /// Lets it happen to a payment. `false`: it cannot.
    func happens(_ news: AfterSaleNews, to reference: ProviderReference) async throws -> Bool
}

/// What happens to money after the sale, behind our back.
package enum AfterSaleNews: String, Hashable, Sendable {
    /// Somebody gives back five of it in the provider's dashboard.
    case refund
    /// The last refund that was done comes to nothing.
    case failRefund
    /// Somebody captures a hold in the dashboard.
    case capture
    /// What was captured comes to nothing.
    case failCapture
    /// The customer's bank takes all of it back, and the shop wins it.
    case dispute, winDispute
    /// The bank asks only.
    case inquiry
}

extension AfterSaleNews {
    /// What the stand-ins with an HTTP interface call it (`POST /_sandbox/aftersale`).
    package var word: String {
        switch self {
        case .refund, .capture, .dispute: rawValue
        case .failRefund: "fail_refund"
        case .failCapture: "fail_capture"
        case .winDispute: "win"
        case .inquiry: "inquire"
        }
    }
    /// How much of it, in minor units; `nil`: all.
    package var amount: Int64? { self == .refund ? 500 : nil }
}

extension ProviderWorld {
    package var line: (any FaultyLine)? { nil }
    package var challenged: Tender? { nil }
    package func wait() async throws {}
    package var canHappen: Set<AfterSaleNews> { [] }
    package func happens(_ news: AfterSaleNews, to reference: ProviderReference) async throws -> Bool { false }
}

/// What the ledger of a stand-in says, in minor units.
package struct Moved: Hashable, Sendable {
    /// Authorizations that hold or took money.
    package var live: Int
    /// Taken, also what went back.
    package var captured: Int64
    /// Given back.
    package var refunded: Int64

    package init(live: Int, captured: Int64, refunded: Int64) {
        self.live = live
        self.captured = captured
        self.refunded = refunded
    }

    /// Nothing.
    package static let nothing = Moved(live: 0, captured: 0, refunded: 0)
    /// What a journey asks for.
    package static let amount = Money(minorUnits: 1250, currency: .eur)
}

/// What a journey asks of a provider.
package enum Verb: String, Sendable { case authorize, capture, void, refund }

/// What a line does to one call.
package enum LineFault: String, CaseIterable, Sendable {
    /// Not one byte leaves, and the caller knows it.
    case notSent
    /// The request is lost on its way, and the caller hears nothing.
    case requestLost
    /// The request arrives and has its effect; its answer is lost.
    case answerLost
}

/// A line on which one call goes wrong.
package protocol FaultyLine: Sendable {
    /// Makes the call after `calls` others go wrong, once.
    func arm(_ fault: LineFault, after calls: Int, of verb: Verb)
    /// Whether the call that was to go wrong has come; nothing goes wrong any more.
    func disarm() -> Bool
    /// The addresses that were asked for, with their queries.
    var addresses: [String] { get }
}
