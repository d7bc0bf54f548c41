/// A deliberate defect around the engine, to prove that the simulation detects it.
public enum PlantedFault: String, CaseIterable, Sendable {
    /// The journal accepts a write decided on an older version.
    case ignoresExpectedVersion
    /// The journal accepts several live payments for one order.
    case severalLivePerOrder
    /// The journal acknowledges writes that a crash then loses.
    case acknowledgesBeforeDurable
    /// An attempt is written only together with its result.
    case attemptNotDurableBeforeCall
    /// The provider receives a different key for each call.
    case keyNotForwarded
    /// A call without a response counts as declined.
    case unknownReadAsDeclined
    /// A call without a response counts as not sent.
    case unknownReadAsNotSent
    case recoveryOff
    /// The provider is assumed to remember keys forever.
    case windowClaimedInfinite
    /// Query results are ignored.
    case queryAlwaysNotFound
    /// The machine's clock is trusted, however many days it is wrong.
    case clockBelieved
    /// The contents of a webhook are trusted instead of a query to the provider.
    case webhookContentTrusted
    /// An authorization without a response is sent again under a new key.
    case retriesUnderNewKey
    /// A refund that was not sent counts as done.
    case notSentReadAsApproved
    /// The result reported by a card reader is trusted; the payment intent is not.
    case readerBelieved
    /// Each attempt at a reader creates its own payment intent.
    case intentForEachTry
    /// An abandoned sale at a reader is not canceled at the provider.
    case intentNotCanceled
    /// A failure reported by a reader is considered final without a cancellation.
    case readerNotCalledOff
    /// A refund at a reader is repeated without a prior query.
    case readerRefundNotQueried
    /// A renewal of a hold without a response is sent again under a new key.
    case renewsUnderNewKey
    /// A renewal is written only together with its result.
    case renewalNotDurableBeforeCall
    /// A renewal without a response counts as refused.
    case unknownRenewalReadAsRefused
    /// The reference of the renewed hold is discarded: captures use the original hold.
    case renewedNameForgotten
    /// A capture after a renewal takes one and a half times the amount.
    case capturesMoreAfterRenewal
    /// Every account of the provider counts as the configured one.
    case otherAccountAsked
    /// An authorization in another currency is read as one in the requested currency.
    case otherCurrencyBelieved
    /// A request that a provider keeps failing under one key is sent with that key again.
    case spentKeySentAgain
    /// A capture without a response is sent again under a new key.
    case capturesUnderNewKey
    /// A refund without a response is sent again under a new key.
    case refundsUnderNewKey
    /// A capture without a response counts as done.
    case unknownCaptureReadAsDone
    /// A refund without a response counts as done.
    case unknownRefundReadAsDone
    /// A void without a response counts as done.
    case unknownVoidReadAsDone
    /// Captures count as done without being sent.
    case capturesNotSent
    /// Refunds count as done without being sent.
    case refundsNotSent
    /// Voids count as done without being sent.
    case voidsNotSent
    /// Each capture takes one minor unit more.
    case capturesOneMore
    /// Each refund returns one minor unit less.
    case refundsOneLess
    /// A rejected credential is read as a decline by the issuer.
    case keyRejectedReadAsDeclined
    /// A rejected credential is read as done.
    case keyRejectedReadAsDone
    /// A query without a response is read as "not found".
    case unknownQueryReadAsNotFound
    /// The expiry of a hold is discarded.
    case holdEndForgotten
    /// A partial capture is read as a full one.
    case partReadAsWhole
    /// A refund that fails after it had succeeded is ignored.
    case lateRefundFailureNotRead
    /// A refund made by others is ignored.
    case refundOfOthersNotRead
    /// A capture that fails after it had succeeded is ignored.
    case captureFailureNotRead
    /// Disputes are ignored.
    case disputesNotRead
    /// The outcome of a dispute is ignored.
    case disputeEndNotRead
    /// A webhook is acknowledged and not stored.
    case webhookNotKept
    /// The postings of a statement line are made twice.
    case feePostedTwice
    /// Refunds are omitted when events are read for the ledger.
    case refundLeftOutOfLedger
    /// After a restore, sales resume before the sweep is done.
    case gateOpensEarly
    /// The sweep after a restore skips every second page of a provider's list.
    case sweepSkipsPage
    /// An incident about an unknown charge does not hold its order.
    case incidentHoldsNothing
    /// Known payments are not queried after a restore.
    case knownNotQueriedAfterRestore

    /// `true` if the fault can show only where a backup is restored.
    var isOfRestores: Bool {
        switch self {
        case .gateOpensEarly, .sweepSkipsPage, .incidentHoldsNothing, .knownNotQueriedAfterRestore: true
        default: false
        }
    }
}
